//! A visitor reviews in a real browser, with JavaScript and without.

use crate::support::Server;
use crate::support::browser::Browser;
use crate::support::forum::{Caller, id};

use crate::web::forum::review_queue::{
    ANNA, BERT, create_flagged_post, create_public_solution, evaluation_page, with_two_reviewers,
};

async fn wait_for_text(browser: &Browser, selector: &str, text: &str) {
    let seen =
        format!("document.querySelector({selector:?})?.innerText.includes({text:?}) === true");
    browser.wait_for(&seen).await;
}

/// Signs in through the forum's login page and opens the list.
async fn sign_in(browser: &Browser, server: &Server, token: &str) {
    browser.visit(&format!("{}/forum/flagged", server.url)).await;
    browser.fill("#key", token).await;
    browser.click("main button.strong").await;
    wait_for_text(browser, "h1", "Review queue").await;
    // Chromium logs recommendations about password forms.
    browser.console_messages().await;
}

#[tokio::test]
async fn flagged_post_is_public_after_a_reviewer_claims_and_approves_it() {
    let server = with_two_reviewers().start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = create_public_solution(&ada).await;
    let browser = Browser::open().await;
    for (with_script, words) in [(true, "Rain is *enough*"), (false, "Roofs are **large**")] {
        let post = create_flagged_post(&ada, &solution, words).await;
        let one = format!("/solutions/{solution}/debates/{}", id(&post));
        let anyone = Caller::anonymous(&server);
        assert_eq!(anyone.get(&one).await.status, 404, "the item is not public yet");
        if !with_script {
            browser.disable_script().await;
        }
        sign_in(&browser, &server, ANNA).await;
        assert_eq!(browser.count(".queue li").await, 1);
        browser.click(".queue .title").await;
        wait_for_text(&browser, ".sheet .prose", &words.replace('*', "")).await;
        browser.click("summary").await;
        wait_for_text(&browser, ".exact", words).await;
        wait_for_text(&browser, ".found", "Passed.").await;
        browser.click("#claim").await;
        wait_for_text(&browser, "#seat", "Claimed by you until").await;
        browser.fill("#notes", "It says how").await;
        browser.click("#renew").await;
        browser.wait_for("document.getElementById('notes')?.value === 'It says how'").await;
        browser.fill("#notes", " much rain there is.").await;
        browser.click("button[value=approve]").await;
        wait_for_text(&browser, "#effect", "The post becomes public now").await;
        browser.click("button[value=edit]").await;
        let kept = "document.getElementById('notes')?.value.includes('how much rain') === true";
        browser.wait_for(kept).await;
        browser.click("button[value=approve]").await;
        wait_for_text(&browser, "#effect", "The author sees your reason.").await;
        assert_eq!(anyone.get(&one).await.status, 404, "nothing is done yet");
        browser.click("button[value=do]").await;
        wait_for_text(&browser, "#seat", "You approved this post").await;
        wait_for_text(&browser, ".standing", "Approved").await;
        assert_eq!(anyone.get(&one).await.status, 200, "now everyone does");
        browser.click("#seat .button").await;
        wait_for_text(&browser, ".calm", "No items to review.").await;
        browser.click(".sits button").await;
        browser.wait_for("location.pathname === '/forum'").await;
    }
    assert_eq!(browser.console_messages().await, [""; 0]);
    browser.close().await;
}

#[tokio::test]
async fn second_reviewer_cannot_decide_while_the_item_is_claimed() {
    let server = with_two_reviewers().start().await;
    let ada = Caller::register(&server, "ada").await;
    let solution = create_public_solution(&ada).await;
    let post = create_flagged_post(&ada, &solution, "Tanks are cheap").await;
    let here = format!("{}{}", server.url, evaluation_page(&post));
    let (anna, bert) = (Browser::open().await, Browser::open().await);
    sign_in(&bert, &server, BERT).await;
    bert.visit(&here).await;
    wait_for_text(&bert, "#seat", "Unclaimed.").await;
    sign_in(&anna, &server, ANNA).await;
    anna.visit(&here).await;
    anna.click("#claim").await;
    wait_for_text(&anna, "#seat", "Claimed by you until").await;

    // Bert's open page still shows the item as unclaimed.
    bert.click("#claim").await;
    wait_for_text(&bert, "#seat-error", "Claimed by anna until").await;
    wait_for_text(&bert, "#seat", "Claimed by anna until").await;
    assert_eq!(bert.count("#seat form").await, 0, "there is nothing to press");
    bert.visit(&format!("{}/forum/flagged", server.url)).await;
    wait_for_text(&bert, ".queue .chip.closed", "Claimed by anna").await;
    bert.press("j").await;
    let focused = "document.activeElement.className === 'title'";
    bert.wait_for(focused).await;

    anna.click("#release").await;
    wait_for_text(&anna, "#seat", "Unclaimed.").await;
    bert.visit(&here).await;
    bert.click("#claim").await;
    wait_for_text(&bert, "#seat", "Claimed by you until").await;
    bert.fill("#notes", "It is about something else.").await;
    bert.click("button[value=reject]").await;
    wait_for_text(&bert, "#effect", "can appeal once").await;
    bert.click("button[value=do]").await;
    wait_for_text(&bert, "#seat", "You rejected this post").await;
    anna.click("#claim").await;
    wait_for_text(&anna, "#seat-error", "Another decision was made").await;
    wait_for_text(&anna, "#seat", "bert rejected this post").await;
    anna.close().await;
    bert.close().await;
}
