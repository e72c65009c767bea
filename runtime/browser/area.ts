import { defineArea } from '../area.ts'
import { commit } from '../events/commit.ts'
import { event, eventsTopic } from '../events/event.ts'
import type { Host } from '../host.ts'
import { interfaceSettings } from '../sections/interface.ts'
import { browserCredentials } from './http-credentials.ts'
import { browserConfig, browserEmulation, browserProfile, readSetup } from './settings.ts'

export const browserArea = defineArea({
  name: 'browser',
  references: {
    recording: async (context, id) =>
      (await (await import('./recordings/store.ts')).findRecording(context, id)) !== null,
  },
  events: async () => (await import('./events.ts')).browserEvents,
  shared_events: ['browser.opened', 'browser.closed', 'browser.crashed'],
  tables: ['browser_auth_states', 'browser_recordings', 'browser_recording_steps', 'browser_replays', 'browser_videos'],
  owned_tables: ['browser_auth_states', 'browser_recordings', 'browser_videos'],
  work: { 'browser.replay': async () => (await import('./recordings/replay.ts')).browserReplay },
  retained: { recordings: async () => (await import('./recordings/screen-recording.ts')).retainedVideos },
  start: followBrowser,
  tools: async () => [(await import('./tool.ts')).browser],
})

const sections: readonly string[] = [
  browserConfig,
  browserProfile,
  browserEmulation,
  browserCredentials,
  interfaceSettings,
].map(({ name }) => name)

/** Emits events when the browser opens, closes or crashes, and applies changes of its settings. */
function followBrowser(host: Host): void {
  host.browser.onChange((change) => {
    if (host.process.stopping.aborted) return
    void commit(host, [], [event(`browser.${change}`, {})]).catch((cause: unknown) =>
      host.log.write('warn', 'cannot emit a browser event', { change, cause }),
    )
  })
  host.bus.subscribe(eventsTopic, ({ type, data }) => {
    if (!host.browser.status().running) return
    const { section, conversation_id } = data as { section?: string; conversation_id?: string }
    if (type === 'settings.updated' && section && sections.includes(section)) void applySetup(host)
    if (conversation_id && ending.test(type)) void releaseTabs(host, conversation_id, type)
  })
}

const ending = /^(?:agent\.run\.(?:finished|failed)|conversation\.deleted)$/

/**
 * Closes the tabs of a run that has ended, or of a conversation that was deleted. A conversation with a person keeps its
 * tabs until they are idle, as the next message may be about the page.
 */
async function releaseTabs(host: Host, id: string, type: string): Promise<void> {
  try {
    const { findConversation } = await import('../chat/index.ts')
    const conversation = type === 'conversation.deleted' ? null : await findConversation(host, id)
    if (conversation && /^(?:user|channel)$/.test(conversation.kind)) return
    await host.browser.as({ kind: 'conversation', id, name: '', owner_id: '' }).release()
  } catch (cause) {
    host.log.write('warn', 'cannot close the tabs of a run', { cause })
  }
}

async function applySetup(host: Host): Promise<void> {
  try {
    await host.browser.configure(await readSetup(host))
  } catch (cause) {
    host.log.write('warn', 'cannot apply the browser settings', { cause })
  }
}
