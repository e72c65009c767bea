export const planGoal = `---
name: plan-goal
description: Turns a goal into a plan with steps that can be started today. Use for projects, moves, events, learning goals, and anything that feels too big to begin.
---
# Plan a goal

1. **Finished looks like…** One sentence that somebody else could check. Ask for the date, the limits (money, hours a
   week) and what exists already.
2. **Walk backwards** from the finished state: what must be true just before? Repeat until you arrive at today. These
   are the milestones, three to seven.
3. **Steps.** Under each milestone, tasks that begin with a verb and take at most half a day. For each: who, how long,
   what it waits for. Tasks that wait for others or for delivery start first.
4. **The unknown.** Mark what nobody knows yet. Each gets an early task that finds out (a call, a test, a price).
5. **Risks.** The three most likely ways it fails, the sign by which it shows, what to do then.
6. **Check the sum.** Add up the hours against the hours there are. If it does not fit, cut scope or move the date, openly.

Write it to \`plans/<name>.md\` in the workspace: goal, date, milestones, tasks with boxes, risks. Put the tasks of the
first milestone on the to-do list and name the very first one, with what is needed to begin it now.

When asked how it goes: read the file, tick off, name what slipped and what that moves.
`
