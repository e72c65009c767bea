import type { Status } from './status.tsx'
import { labelOf } from './text.ts'

const colors: Record<Status['color'], string> = {
  teal: 'ok completed succeeded approved connected online ready idle',
  ember: 'running waiting verifying sent',
  yellow: 'blocked paused stale connecting restarting cooldown waiting_approval pending_approval acknowledged',
  red: 'failed error timed_out refused rejected denied revoked firing',
  gray: '',
}

const colorOf = (value: string): Status['color'] =>
  (Object.keys(colors) as Status['color'][]).find((color) => colors[color].split(' ').includes(value)) ?? 'gray'

/** Shows the statuses of a kind of thing. `labels` are those that their value does not say, `special` other colors. */
export const statusesOf =
  <Value extends string>(
    labels: Partial<Record<Value, string>> = {},
    special: Partial<Record<Value, Status['color']>> = {},
  ) =>
  (value: Value): Status => ({
    label: labels[value] ?? labelOf(value),
    color: special[value] ?? colorOf(value),
  })
