import { z } from 'zod'
import { Action, ActionName } from '../../browser/schema.ts'
import { clipped } from '../text.ts'

/** Acts that have an action of their own are left out. */
const Act = ActionName.exclude(['goto', 'go_back'])

export const Input = z
  .object({
    action: z.enum(['open', 'read', 'snapshot', 'act', 'screenshot', 'tabs', 'back']),
    url: z.string().min(1).max(4_096).optional().describe('For open and read'),
    act: Act.optional().describe('For act: what to do'),
    to_index: z.number().int().min(0).optional().describe('For drag_and_drop: the element where it ends'),
    max_chars: z.number().int().min(200).max(200_000).optional().describe('Longest text or snapshot'),
    path: z.string().min(1).max(1_000).optional().describe('For screenshot: a new file in your workspace'),
  })
  .extend(
    Action.pick({
      index: true,
      selector: true,
      text: true,
      value: true,
      values: true,
      key: true,
      x: true,
      y: true,
      delta_x: true,
      delta_y: true,
      accept: true,
      prompt_text: true,
      tab_id: true,
    }).shape,
  )
export type Input = z.output<typeof Input>

const looking: readonly string[] = [
  'hover',
  'scroll',
  'scroll_to_element',
  'wait_for_selector',
  'wait_for_navigation',
  'wait_for_network_idle',
]

/** Whether it changes nothing that others see: a page may be opened and looked at, not used. */
export const looks = ({ action, act }: Input): boolean =>
  action !== 'screenshot' && (action !== 'act' || (act !== undefined && looking.includes(act)))

/** For a person, who must be able to judge it. */
export function phrase(input: Input): string {
  const { action, act = 'act', index, selector, text, value, values, key, path } = input
  if (action === 'open' || action === 'read') {
    const what = input.url === undefined ? 'the page in the browser' : clipped(input.url, 200)
    return action === 'open' ? `Open ${what} in the browser` : `Read ${what}`
  }
  if (action === 'snapshot') return 'List the elements of the page in the browser'
  if (action === 'screenshot')
    return `Take a picture of the page in the browser${path ? ` as ${clipped(path, 100)}` : ''}`
  if (action === 'tabs') return 'List the tabs of the browser'
  if (action === 'back') return 'Go back in the browser'
  const on = index === undefined ? (selector ? ` ${clipped(selector, 80)}` : '') : ` element ${index}`
  const said = text ?? value ?? values?.join(', ') ?? key
  return `In the browser: ${act.replaceAll('_', ' ')}${on}${said === undefined ? '' : `: ${clipped(said, 120)}`}`
}
