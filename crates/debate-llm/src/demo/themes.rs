//! The arguments of the demo: for and against any topic.

/// One line of argument, from both sides.
pub(super) struct Theme {
    /// The subject of the argument, as the end of a sentence.
    pub(super) name: &'static str,
    pub(super) case_for: &'static str,
    pub(super) case_against: &'static str,
    /// The answer of the side in favour if the other side used this theme.
    pub(super) reply_for: &'static str,
    /// The answer of the side against if the other side used this theme.
    pub(super) reply_against: &'static str,
}

pub(super) const THEMES: [Theme; 8] = [
    Theme {
        name: "costs and benefits",
        case_for: "Compare the costs and the benefits for the people affected. The benefits reach \
            most people and return every day; most of the costs are paid once, at the start. A \
            proposal that asks a little of some people and gives a lot to many is reasonable, even \
            if a few of them would prefer no change. If the costs fall on the wrong group, the \
            solution is to share them better, for example with a transition period. That is not a \
            reason to withhold the benefits from everyone.",
        case_against: "Compare the costs and the benefits for the people affected. The benefits \
            are spread so thinly that most people would hardly notice them, while the costs fall \
            on a small group that was not asked and can least afford them. A better average does \
            not help the people who end up below it. Before we accept the proposal, its supporters \
            should name the group that pays, say how much it pays, and explain why that group \
            should agree.",
        reply_for: "You point to the people who bear the costs, and they exist. But you left out \
            the costs that they already bear today, without the change.",
        reply_against: "You count the people who benefit. But a gain that most of them hardly \
            notice does not outweigh a loss that a few people feel for years, and you did not say \
            who they are.",
    },
    Theme {
        name: "the risk of a mistake",
        case_for: "Suppose that we accept the proposal and it turns out to be a mistake. The \
            effects are visible, so we would notice soon, and nothing in the proposal prevents us \
            from reversing it. Now suppose that rejecting it is the mistake. Benefits that never \
            happen are not measured, so this error stays hidden and looks like caution. Of two \
            possible errors we should choose the one that we can detect and correct. That is the \
            error of trying, not the error of waiting.",
        case_against: "Suppose that we accept the proposal and it turns out to be a mistake. By \
            then people have built on it and depend on it, and they lose something if it is \
            reversed. A change that looks reversible on paper is rarely reversed in practice. \
            Waiting keeps every option open and costs only time. Of two possible errors we should \
            choose the one that does not create its own supporters. Here, that means waiting until \
            the open questions are answered.",
        reply_for: "You say that a mistake would be hard to undo. Doing nothing is a decision too; \
            it can also be wrong, and its damage is not monitored.",
        reply_against: "You say that we could always reverse it. In practice, the people who \
            benefit from a change defend it, even when it does not work for everyone else.",
    },
    Theme {
        name: "the evidence",
        case_for: "Neither side has certainty, so consider how we could get more of it. Proof \
            before the first step is impossible, because the proof would come from that step. The \
            right response to an open question is a limited trial with a success criterion that is \
            fixed in advance. If the trial fails, we stop and have lost little. If it succeeds, we \
            have the data that the other side asks for. Rejecting the proposal now means that we \
            will know no more in ten years than we know today.",
        case_against: "Neither side has certainty, but the burden of proof is on the side that \
            wants to change something that works. The examples in favour are mostly success \
            stories, because failed attempts are rarely reported. That is survivorship bias: we \
            see the projects that lasted, not the ones that were abandoned. Until the failures are \
            counted as well, the examples do not support the conclusion. A list of examples is not \
            a comparison, and this decision needs a comparison.",
        reply_for: "You ask for proof that can only exist after a first attempt. By that standard, \
            no new method could ever be introduced.",
        reply_against: "You propose a trial. A trial shows how a small and motivated group \
            behaves. It says little about everyone else, and you have not said which result would \
            count as a failure.",
    },
    Theme {
        name: "the alternatives",
        case_for: "Compare the proposal with the realistic alternatives, not with a perfect \
            solution. The alternatives that are usually named are either a weaker form of the same \
            idea, or they have been available for years and have not solved the problem. If an \
            easier method worked, it would already be in use. The proposal has known weaknesses, \
            and they can be corrected after it starts. An alternative that exists only as a \
            suggestion cannot be corrected, because it is never tested.",
        case_against: "Even if we agree on the goal, the proposal is not the only way to reach it. \
            Smaller steps bring most of the benefit at a fraction of the cost, and they can start \
            now. The supporters of the full version should show what its last and most expensive \
            part adds. So far, they have not. A solution should not be larger than the problem. \
            Take the small steps first, measure the result, and then decide whether the rest is \
            still needed.",
        reply_for: "You suggest a smaller alternative. It was available all along and was not \
            adopted, and you did not explain what would be different now.",
        reply_against: "You say that no alternative is realistic. One alternative is: keep the \
            part of the proposal that both sides accept, and drop the part that causes the \
            dispute.",
    },
    Theme {
        name: "incentives",
        case_for: "Look at the incentives. Today, the easiest choice is to wait until someone else \
            starts, so little happens. The proposal rewards the people who start and lowers their \
            risk. Incentives matter more than the direct effects, because they continue to work \
            after public attention has moved on. When the right choice is also the convenient one, \
            fewer controls are needed, and progress no longer depends on good intentions alone.",
        case_against: "Look at the incentives. People optimise for the value that is measured, and \
            the measured value is never exactly the goal. The proposal rewards the appearance of \
            success, so effort moves from results to reports. Work that is not counted is \
            neglected, even when it matters more. The people who are best at meeting a target on \
            paper gain the most, and they are not the people whom the proposal is meant to \
            support.",
        reply_for: "You expect people to exploit the new rule. They exploit the present rule as \
            well. The question is which of the two leads to better results when people follow \
            their own interest.",
        reply_against: "You assume that the rewarded behaviour is the useful behaviour. Rewards \
            follow the results that can be shown, and over time the two drift apart.",
    },
    Theme {
        name: "the long-term effects",
        case_for: "Consider the long term. Most of the costs occur early and once: training, \
            conversion and some disruption. The benefits occur later and every year. If we judge \
            only the first months, the present state always looks better, and each generation \
            passes the problem on to the next. Compare the sums over twenty years: over \
            that period a yearly benefit outweighs a single cost. The sooner we start, the longer \
            we benefit.",
        case_against: "Consider the long term. An exception becomes a habit, then an expectation \
            and finally a requirement, and a duty that applies to a few people is extended to \
            everyone. None of these steps is large enough to cause an objection, so none of them \
            is stopped. The direction is easiest to change at the beginning. If we accept the \
            principle now, every later limit will look arbitrary, and the people who ask for one \
            will have to justify it.",
        reply_for: "You describe a slippery slope. But each later step would be a separate \
            decision, made by people who know the results better than we do today.",
        reply_against: "You promise benefits in twenty years. The costs are certain and start now, \
            while the benefits are a forecast that cannot be checked before most of the cost is \
            paid.",
    },
    Theme {
        name: "freedom of choice",
        case_for: "The proposal gives people more control over their own decisions. An option that \
            exists can be ignored, but an option that does not exist is denied to everyone. To \
            prevent a choice that mainly affects the person who makes it, we need a strong reason, \
            and disagreement with that choice is not enough. People who do not want the option \
            lose little. People who do want it have no other way to get it. That difference should \
            decide the question.",
        case_against: "The proposal gives people less control over their own decisions. Once \
            almost everyone uses an option, it stops being optional: services, prices and \
            expectations adapt to it, and people who decline pay a penalty. Freedom is not only \
            the number of options. It also means that you can decline one without a disadvantage. \
            That part of freedom disappears slowly, and it is hard to restore once the older way \
            is no longer offered.",
        reply_for: "You worry about people who would rather decline. They can still decline, while \
            the people who want the option today have no way to choose it.",
        reply_against: "You call it a choice. Once most people have made that choice, declining it \
            has a price, and your proposal does not say who pays that price.",
    },
    Theme {
        name: "the implementation",
        case_for: "Most objections concern the practical work, and practical problems have known \
            solutions. Start where it is easiest, with volunteers, and set a date on which the \
            results are reviewed. Name one person who is responsible, provide a way to complain, \
            and publish the numbers. If the review finds problems, change the plan or stop it. \
            None of this requires unusual skill. That something is difficult to do well is not an \
            argument against doing it.",
        case_against: "An intention is tested by the practical work. Who decides the unclear \
            cases, by which criteria, and where can people appeal? The proposal describes its goal \
            in detail and its daily operation only briefly. Details that are postponed are \
            settled later by the people who happen to be present, and those are rarely the people \
            who live with the result. A plan without an owner, a budget and an appeal process is \
            not ready for a decision.",
        reply_for: "You ask who decides the unclear cases. People decide such cases today as well, \
            but without a published rule that they can be held to.",
        reply_against: "You say that the plan can be changed later. That is an answer for details, \
            but the difficult part of this plan is not a detail, and it is still missing.",
    },
];
