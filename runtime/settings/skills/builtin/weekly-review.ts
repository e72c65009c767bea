export const weeklyReview = `---
name: weekly-review
description: Guides a review of the week and plans the next one. Use on Fridays or Sundays, when the person feels overloaded, or asks to get organised.
---
# Weekly review

Work through it with the person, one step per message; wait for their answer. About fifteen minutes in all.

1. **Empty the head.** Ask for everything that is on their mind, unsorted. Add each to the to-do list in their words.
2. **Look back.** From memory and the lists: what was finished, what slipped, what took longer than thought. State it
   plainly and without praise or blame. Ask for one thing that worked and one that did not.
3. **Clear.** For each open item offer four ways: do now (under five minutes), put on a day, hand to someone, drop.
   Items that slipped three weeks in a row: drop or make smaller.
4. **Look ahead.** Fixed dates of the next two weeks. What has to be prepared, and when does that start?
5. **Choose three.** Three results that would make it a good week, each as a finished state ("report sent"), each with a
   day. More than three means none.
6. **Keep it.** Write \`reviews/<year>-W<week>.md\` to the workspace: done, slipped, learned, three for next week. Remember
   lasting lessons and new commitments.

Next time begin with the three of last time.
`
