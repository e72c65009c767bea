import { z } from 'zod'
import { ActionName, OpenDialog } from '../tabs/schema.ts'

export const ActionResult = z.object({
  success: z.literal(true),
  action: ActionName,
  url: z.string(),
  title: z.string(),
  duration_ms: z.number(),
  /** The dialog that the act has opened. */
  dialog: OpenDialog.omit({ tab_id: true }).optional(),
  /** Present with the setting `auto_snapshot`. */
  snapshot: z.string().optional(),
})
export type ActionResult = z.output<typeof ActionResult>

export const BrowserStatus = z.object({
  running: z.boolean(),
  backend: z.string(),
  current_url: z.string().nullable(),
  tabs: z.int(),
  uptime_seconds: z.number(),
  /** The HAR being recorded; null if none. */
  har: z.object({ started_at: z.string(), entries: z.int() }).nullable(),
  /** Number of mocks. */
  mocks: z.int(),
  /** Open dialogs; each blocks its page until `handle_dialog` answers it. */
  dialogs: z.array(OpenDialog),
  /** Ids of what is running. */
  recording_id: z.string().nullable(),
  replay_id: z.string().nullable(),
  screen_recording_id: z.string().nullable(),
  /** The person in control of the page; acts of agents and replays wait. */
  taken_by: z.string().nullable(),
})
export type BrowserStatus = z.output<typeof BrowserStatus>
