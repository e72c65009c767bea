import type { z } from 'zod'
import type { Context } from '../context.ts'
import type { Subset } from '../sections/merge.ts'
import { changeSection } from '../sections/section.ts'
import { iso } from '../time.ts'
import { enabledChannels, updateChannel } from './channel-store.ts'
import { platformOf } from './connection.ts'
import { stopListening } from './listen.ts'
import { channelSettings } from './settings.ts'

/** Changes the public address. Channels that can receive messages with and without one are connected again. */
export async function changeAddress(
  context: Context,
  change: Subset<z.input<typeof channelSettings.schema>>,
): Promise<void> {
  await changeSection(context, channelSettings, change)
  for (const { id, platform } of await enabledChannels(context)) {
    if (!(await platformOf(context, platform)).uses_webhook) continue
    await context.commit([updateChannel(id, { poll_due_at: iso(context.clock.now()), poll_failures: 0 })])
    await stopListening(context, id)
  }
}
