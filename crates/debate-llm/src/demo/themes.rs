//! What can be said for and against anything.

/// One line of argument, from both sides.
pub(super) struct Theme {
    pub(super) name: &'static str,
    pub(super) case_for: &'static str,
    pub(super) case_against: &'static str,
    /// What the side in favour says when the other side used this theme.
    pub(super) reply_for: &'static str,
    /// What the side against says.
    pub(super) reply_against: &'static str,
}

pub(super) const THEMES: [Theme; 8] = [
    Theme {
        name: "who gains and who pays",
        case_for: "Look at who is affected on an ordinary day. Those who gain are many, and they \
            gain something they use again and again; those who pay are few, and they pay once. A \
            rule that asks a little of some and gives a lot to most is not unjust because someone \
            can be found who would rather keep things as they are. If the burden worries you, the \
            remedy is to share it, not to refuse the benefit to everyone.",
        case_against: "Look at who is affected on an ordinary day. The gain is spread so thinly \
            that few would notice it, while the cost falls on people who were never asked and can \
            least carry it. A benefit that exists mainly in the average is a poor consolation to \
            those below the average. Before we call this progress, its friends should name the \
            people who pay for it and tell them so.",
        reply_for: "You pointed to those who pay. Fair enough: they exist. But you counted their \
            loss and left out what they lose already, every day, as things stand now.",
        reply_against: "You counted those who gain. But a gain that most would hardly notice does \
            not outweigh a loss that some will feel for years, and you named none of them.",
    },
    Theme {
        name: "what happens if we are wrong",
        case_for: "Suppose we are mistaken. Then we will see it soon, because the effects are \
            visible, and we can correct the course, because nothing in the proposal burns a \
            bridge. Suppose instead that refusing is the mistake. Nobody will measure what did not \
            happen, and the error will pass for prudence. Of two possible errors, we should prefer \
            the one that shows itself and can be undone.",
        case_against: "Suppose we are mistaken. The change will by then have made its own friends: \
            people who built on it, who depend on it, who would lose by going back. What looks \
            reversible on paper seldom is. To wait, on the other hand, leaves every road open, and \
            costs only patience. Of two possible errors, we should prefer the one that does not \
            defend itself against correction.",
        reply_for: "You say that a mistake would be hard to undo. Yet doing nothing is also a \
            choice, it can also be wrong, and it comes without anyone watching for the damage.",
        reply_against: "You promise that we could always turn back. Who would? By then there will \
            be those who live off the mistake, and they will not be on your side of the argument.",
    },
    Theme {
        name: "what we actually know",
        case_for: "Certainty is not on offer, on either side. What we have are experiences near \
            enough to learn from, and they point the same way: where something like this was \
            tried with care, the feared consequences were smaller than announced. To demand proof \
            before the first step is to demand that nobody ever take one. The sensible answer to \
            an open question is a trial that could answer it.",
        case_against: "Certainty is not on offer, but the burden of proof is not shared equally: \
            it lies with whoever wants to change something that works. The cases that are brought \
            forward are the ones that went well enough to be told. We are shown the survivors and \
            asked to infer the voyage. As long as the failures are missing from the account, the \
            account does not support the conclusion.",
        reply_for: "You ask for evidence that could only exist after the attempt. By that standard \
            nothing now in use would ever have begun.",
        reply_against: "You call the examples encouraging. They were chosen by people who wanted \
            to encourage; what is missing are the ones nobody writes about.",
    },
    Theme {
        name: "the alternatives",
        case_for: "A proposal should be compared with what would happen without it, not with \
            perfection. The alternatives that are usually named are either the same idea under a \
            gentler name, or they have been available for years without anyone taking them. If \
            there were an easier way to the same end, it would not have needed this debate to be \
            discovered. What is on the table is imperfect, and it is on the table.",
        case_against: "Even if we want the end, this is not the only means. Smaller steps exist \
            that bring most of the good with a fraction of the trouble, and they can be taken at \
            once. Whoever insists on the large version has to show what the last, most expensive \
            part adds. I have not heard it. A remedy should be no stronger than the illness \
            requires.",
        reply_for: "You offer a milder way. It was open to everyone until now, and it was not \
            taken; something must be said about why it would be taken tomorrow.",
        reply_against: "You say there is no other way. There is: the part of your proposal that \
            nobody disputes, without the part on which everything depends.",
    },
    Theme {
        name: "what it rewards",
        case_for: "People respond to what is made easy and what is made hard. The present state \
            rewards waiting for others to begin; the proposal rewards those who begin. That \
            matters more than its direct effects, because incentives go on working when attention \
            has moved elsewhere. A rule that makes the right thing also the convenient thing does \
            not have to be enforced at every corner.",
        case_against: "People respond to what is made easy and what is made hard, and not always \
            as intended. Whatever is counted will be produced, whether or not it is what we \
            wanted; whatever is not counted will be neglected. The proposal rewards the \
            appearance of its goal. Those who are good at appearances will prosper by it, and \
            they were not the ones we had in mind.",
        reply_for: "You fear that people will play to the rule. They play to the present one, too; \
            the question is only which game leaves more behind that is of use.",
        reply_against: "You trust that what is rewarded will be what is meant. What is rewarded is \
            what can be shown, and the two drift apart faster than any rule is mended.",
    },
    Theme {
        name: "the long run",
        case_for: "Judge it by what it will have become in twenty years. The costs come early, and \
            they come once: learning, adapting, a little disorder. The benefits come late, and \
            they come every year. Those who look only at the first stretch will always find \
            reasons to stay, and those who come after them will inherit the reasons along with \
            the problem. Somebody has to pay the entrance fee.",
        case_against: "Judge it by what it will have become in twenty years. What begins as a \
            sensible exception becomes a habit, then an expectation, then a right; and what was \
            asked of a few is asked of all. None of the steps will be large enough to object to. \
            That is why the place to object is here, at the beginning, where the direction is \
            still being chosen.",
        reply_for: "You describe a slope. But each of its steps would be decided by people as able \
            to say no as you are, and with more experience of the matter.",
        reply_against: "You point to a harvest twenty years away. Promises of that length have the \
            advantage that nobody who makes them will be asked about them.",
    },
    Theme {
        name: "freedom to choose",
        case_for: "At bottom this widens what people can decide for themselves. Nobody is made to \
            use a possibility because it exists; but where it does not exist, everyone is made to \
            do without. To protect people from choices that they themselves would make needs a \
            strong reason, and discomfort at the choices of others is not one. I would rather \
            argue with my neighbours than arrange that the question never reaches them.",
        case_against: "At bottom this narrows what people can decide for themselves. A choice \
            that everyone else has made stops being one: those who would rather not find that \
            doors close which used to be open. Freedom is not only the number of options on a \
            list; it is also to be able to leave one of them aside without paying for it. That \
            second kind is lost here, and it does not return.",
        reply_for: "You worry about those who would rather not. They keep every reason to decline, \
            while today those who would rather have no way to accept.",
        reply_against: "You call it a choice. When everyone around has made it, it is a condition, \
            and nobody was asked whether they accept the terms.",
    },
    Theme {
        name: "how it would be done",
        case_for: "Much of the worry concerns the carrying out, and there the answer is plain: \
            begin where it is easiest, with those who want it, with a date on which the results \
            are looked at. None of this needs heroes. It needs someone responsible, a way to \
            complain, and the readiness to adjust. We know how to do such things; we do them \
            whenever we are not busy debating whether they can be done.",
        case_against: "Good intentions meet their test in the carrying out. Who decides the \
            doubtful cases, by what measure, and to whom can one complain? The proposal is clear \
            about its aim and vague about its Tuesday afternoons. Wherever the details are left \
            for later, they are settled by whoever happens to be in the room, and that is rarely \
            those who will live with the result.",
        reply_for: "You ask who decides the doubtful cases. The same kind of people who decide \
            them now, with the difference that they would have a rule to be held to.",
        reply_against: "You say it can be adjusted on the way. That is what is always said of a \
            plan whose hard part has been left out.",
    },
];
