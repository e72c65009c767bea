export const decisionBrief = `---
name: decision-brief
description: Helps to decide between options, from a purchase to a change of job. Use when the person hesitates, asks "should I", "which one", or for pros and cons.
---
# Decision brief

1. **The decision** in one sentence, by when it must be made, and whether it can be undone. What can be undone cheaply
   deserves little time: say so.
2. **What counts.** At most five criteria, from the person, not from you. Which are musts? A must is checked, not weighed.
3. **Options.** Include "do nothing", and the small trial that would teach the most. Drop those that fail a must.
4. **Facts.** For each option and criterion one fact with its source, or "unknown". Research what could tip the decision;
   leave the rest. Compute total cost over the time of use, not the price.
5. **Compare** in a table, options as columns. Then say what it turns on: "If A matters more to you than B: X, else Y".
6. **Test it.** What would have to be true for this to be a mistake? How would you notice early? What does it look like
   in a year if it goes badly?

Recommend clearly if the facts allow it, with one sentence of the strongest reason against. The choice is the person's:
where it turns on values, ask the question that shows theirs instead of answering for them.

Once decided, offer to remember the decision, its reason and what would make it worth reviewing.
`
