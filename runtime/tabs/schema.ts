import { z } from 'zod'
import { reference } from '../references.ts'

/** The language of pages if nobody has chosen another. */
export const defaultLocale = 'en-US'

/** All actions. The names are part of the API. */
export const ActionName = z.enum([
  'goto',
  'click',
  'double_click',
  'right_click',
  'hover',
  'type_text',
  'press_key',
  'select_option',
  'check',
  'uncheck',
  'scroll',
  'scroll_to_element',
  'drag_and_drop',
  'focus',
  'blur',
  'handle_dialog',
  'wait_for_selector',
  'wait_for_navigation',
  'wait_for_network_idle',
  'go_back',
  'go_forward',
  'reload',
])
export type ActionName = z.infer<typeof ActionName>

const selector = z.string().min(1).max(2_000)
const index = z.int().min(0)
const ref = z.string().min(1).max(64)
const coordinate = z.number().min(-100_000).max(100_000)

/** The end of a drag: an element or a point of the viewport. */
export const DropTarget = z
  .object({ selector, index, ref, x: coordinate, y: coordinate })
  .partial()
  .refine(
    (to) =>
      to.selector !== undefined ||
      to.index !== undefined ||
      to.ref !== undefined ||
      (to.x !== undefined && to.y !== undefined),
    'needs selector, index, ref, or x and y',
  )

/**
 * One act. An element is named by `selector` (CSS, `text=`, `role=`), by the `index` that a snapshot has shown, or by its
 * `ref`; a point of the viewport by `x` and `y`, in CSS pixels.
 */
export const Action = z.object({
  action: ActionName,
  url: z.string().min(1).max(8_000).optional(),
  selector: selector.optional(),
  index: index.optional(),
  ref: ref.optional(),
  text: z.string().max(100_000).optional(),
  value: z.string().max(10_000).optional(),
  values: z.array(z.string().max(10_000)).max(200).optional(),
  x: coordinate.optional(),
  y: coordinate.optional(),
  to: DropTarget.optional(),
  /** As Playwright names keys: `Enter`, `Control+A`. */
  key: z.string().min(1).max(64).optional(),
  delta_x: coordinate.optional(),
  delta_y: coordinate.optional(),
  /** Answer to a dialog. */
  accept: z.boolean().optional(),
  prompt_text: z.string().max(10_000).optional(),
  timeout_ms: z.int().min(1).max(120_000).optional(),
  /** Default: the caller's own tab, which is opened if there is none. */
  tab_id: reference('tab', 64).optional(),
})
export type Action = z.output<typeof Action>

const nullableText = z.string().nullable()

/** How an element can be found again, the best locator first. */
export const ElementTrace = z.object({
  role: nullableText,
  name: nullableText,
  text: nullableText,
  label: nullableText,
  test_id: nullableText,
  css: z.string(),
  /** Frames that contain it, outermost first; empty in the main frame. */
  frames: z.array(z.string()),
  /** The text of its row, if others have the same role and name. */
  row: nullableText.default(null),
  /** Its place among those. */
  nth: z.int().default(0),
  /** Text typed there must not be stored. */
  secret: z.boolean().default(false),
})
export type ElementTrace = z.input<typeof ElementTrace>

/** Why an act failed. */
export const FailureCode = z.enum([
  'element_not_found',
  'not_visible',
  'not_enabled',
  'obscured',
  'timeout',
  'navigation_failed',
  'blocked_url',
  'dialog_open',
  'stale_index',
  'page_crashed',
])
export type FailureCode = z.infer<typeof FailureCode>

export const OpenDialog = z.object({
  tab_id: z.string(),
  type: z.string(),
  message: z.string(),
  /** Default value of a prompt. */
  default_value: z.string(),
})
export type OpenDialog = z.output<typeof OpenDialog>

export const Snapshot = z.object({
  /** One element per line: `[12] Save changes (button)`, with its states after the kind. */
  snapshot: z.string(),
  element_count: z.int(),
  url: z.string(),
  title: z.string(),
  /** Lines were left out to keep within `max_chars`. */
  truncated: z.boolean(),
  /** The open dialog, which must be answered first. */
  dialog: OpenDialog.omit({ tab_id: true }).nullable(),
})
export type Snapshot = z.output<typeof Snapshot>

/** Who leases a tab. */
export const TabHolder = z.object({
  kind: z.enum(['person', 'conversation', 'client']),
  /** Of the user, conversation or API key. */
  id: z.string(),
  name: z.string(),
})
export type TabHolder = z.output<typeof TabHolder>

export const Tab = z.object({
  id: z.string(),
  url: z.string(),
  title: z.string(),
  /** The one that the caller uses without `tab_id`. */
  active: z.boolean(),
  leased_by: TabHolder.nullable(),
})
export type Tab = z.output<typeof Tab>

/** Playwright does not respond at all to a request with invalid headers. */
const MockHeaders = z.record(
  z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be a header name'),
  z.string().regex(/^[^\0\r\n]*$/, 'must be one line'),
)

export const Mock = z.object({
  url_pattern: z
    .string()
    .min(1)
    .max(2_000)
    .meta({ title: 'URL pattern', description: 'A glob such as https://example.com/api/*' }),
  status_code: z.int().min(100).max(599).default(200).meta({ title: 'Status' }),
  body: z.string().max(1_000_000).default('').meta({ title: 'Body', format: 'multiline' }),
  headers: MockHeaders.default({}).meta({ title: 'Headers' }),
})
export type Mock = z.output<typeof Mock>

export const NetworkRequest = z.object({
  id: z.string(),
  method: z.string(),
  url: z.string(),
  resource_type: z.string(),
  /** Null while it runs, and if it failed. */
  status: z.int().nullable(),
  mime_type: z.string().nullable(),
  duration_ms: z.number().nullable(),
  size_bytes: z.int().nullable(),
  mocked: z.boolean(),
  /** Why it failed, for example `blocked`. */
  error: z.string().nullable(),
  /** Why it was blocked. */
  blocked_reason: z.string().nullable(),
  started_at: z.string(),
})
export type NetworkRequest = z.output<typeof NetworkRequest>

export const Cookie = z.object({
  name: z.string().min(1).max(4_096),
  value: z.string().max(8_192),
  url: z.string().max(2_000).optional(),
  domain: z.string().max(253).optional(),
  path: z.string().max(1_000).optional(),
  /** Seconds since the epoch; −1 for a session cookie. */
  expires: z.number().optional(),
  http_only: z.boolean().optional(),
  secure: z.boolean().optional(),
  same_site: z.enum(['Strict', 'Lax', 'None']).optional(),
})
export type Cookie = z.output<typeof Cookie>

/** The pointer may leave the viewport during a drag. */
const pointerCoordinate = z.number().min(-100).max(20_000)
const wheelDelta = z.number().min(-10_000).max(10_000)

/** Input of a person in the live view. Coordinates are CSS pixels of the viewport. */
export const PersonInput = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('mouse'),
    kind: z.enum(['move', 'down', 'up', 'wheel']),
    x: pointerCoordinate,
    y: pointerCoordinate,
    button: z.enum(['left', 'middle', 'right']).optional(),
    delta_x: wheelDelta.optional(),
    delta_y: wheelDelta.optional(),
  }),
  z.object({ type: z.literal('key'), kind: z.enum(['down', 'up']), key: z.string().min(1).max(64) }),
  z.object({ type: z.literal('text'), text: z.string().min(1).max(10_000) }),
])
export type PersonInput = z.output<typeof PersonInput>

export const ConsoleLine = z.object({
  level: z.string(),
  text: z.string(),
  url: z.string().nullable(),
  at: z.string(),
})
export type ConsoleLine = z.output<typeof ConsoleLine>

export const Download = z.object({
  id: z.string(),
  /** Null for a download from an earlier run of hearthd. */
  url: z.string().nullable(),
  name: z.string(),
  /** Bytes received, or that were too many if it was refused. */
  size_bytes: z.int().nullable(),
  /** Refused: it exceeds the size limits. */
  status: z.enum(['running', 'done', 'failed', 'refused']),
  /** Why it failed or was refused. */
  error: z.string().nullable(),
  /** Null until it is done. */
  content_url: z.string().nullable(),
})
export type Download = z.output<typeof Download>
