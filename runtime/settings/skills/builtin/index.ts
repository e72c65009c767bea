import { collectData } from './collect-data.ts'
import { dailyBriefing } from './daily-briefing.ts'
import { decisionBrief } from './decision-brief.ts'
import { deepResearch } from './deep-research.ts'
import { draftMessage } from './draft-message.ts'
import { editText } from './edit-text.ts'
import { factCheck } from './fact-check.ts'
import { meetingNotes } from './meeting-notes.ts'
import { planGoal } from './plan-goal.ts'
import { summarize } from './summarize.ts'
import { teachMe } from './teach-me.ts'
import { troubleshoot } from './troubleshoot.ts'
import { weeklyReview } from './weekly-review.ts'

/** The skills that come with hearthd, each a whole `SKILL.md`, in the order in which they are shown. */
export const builtinTexts: readonly string[] = [
  dailyBriefing,
  planGoal,
  weeklyReview,
  deepResearch,
  factCheck,
  summarize,
  draftMessage,
  editText,
  meetingNotes,
  decisionBrief,
  teachMe,
  collectData,
  troubleshoot,
]
