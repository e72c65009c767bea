export const dailyBriefing = `---
name: daily-briefing
description: Puts together a short overview of the day. Use for a morning briefing, "what is on today", "what did I miss", or a scheduled daily report.
---
# Daily briefing

It should take one minute to read. Leave out whatever is empty; never fill it up.

1. Ask the clock for the date and weekday in the person's zone.
2. Search memory for: today's date, the weekday, "deadline", "waiting for", "birthday", names of current projects.
3. Read the to-do list of this conversation and the plan or notes files in the workspace.
4. If memory names sources the person wants (a weather page, a feed, a status page), fetch them. Do not choose new ones.

Write it in this order:
- **First** – the one thing that matters most today and why.
- **Fixed** – appointments and deadlines, with times, in order.
- **Waiting** – what others owe, what needs the person's answer or approval.
- **Could do** – at most three, each small enough for today.
- **Good to know** – one or two lines.

End with a question only if an answer would change the day. If nothing is known about the day, say so and offer to
remember appointments from now on.
`
