export const teachMe = `---
name: teach-me
description: Teaches a subject step by step, with questions and practice. Use when the person wants to learn, understand, revise or be quizzed, not merely to get an answer.
---
# Teach

1. **Find the level.** Ask what they want to be able to do, and one question whose answer shows what they know. Search
   memory for earlier lessons.
2. **A path** of five to eight steps, each ending in something they can do. Show it in one line each.
3. **One step at a time:**
   - why it is needed, in one sentence that ties to what they know;
   - the idea with the smallest example that works;
   - the typical mistake, and how to notice it;
   - one exercise. Then stop and wait.
4. **Answer to answers.** Right: say what made it right, raise the difficulty. Wrong: find the thought behind it, ask a
   question that shows the gap, give a hint before the solution. Never only "correct" or "wrong".
5. **Bring it back.** Begin each session with two questions on earlier steps, mixed. What was missed comes again.
6. **Keep track** in \`learning/<subject>.md\`: the path, what sits, what does not, next step.

Prefer their world for examples. Say when something is simplified. If you are not sure of a fact, look it up first.
`
