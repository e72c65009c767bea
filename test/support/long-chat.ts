import { respond } from '../../handlers/chat/approvals.ts'
import { setExecutionMode, setMode } from '../../handlers/chat/conversations.ts'
import { send } from '../../handlers/chat/stream.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { addEpisode } from '../../runtime/memory/episodes.ts'
import { NewEpisode } from '../../runtime/memory/schema.ts'
import type { ProviderId } from '../../runtime/models/vendors/index.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { tick } from '../../runtime/tick.ts'
import { minute } from '../../runtime/time.ts'
import { drive } from '../adapters/models/drive.ts'
import { uploaded } from '../files/kit.ts'
import * as wire from '../fixtures/wire/index.ts'
import { configureAgent } from '../providers/kit.ts'
import { call } from './call.ts'
import { chat, onlyApproval, onlyConversation } from './chat.ts'
import { restarted, testHost } from './host.ts'
import { workOff } from './work.ts'

/** A turn of the conversation, with the index of its first request. */
export interface PlayedTurn {
  what: string
  from: number
}

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3, 4])

/**
 * A conversation as people have them: many steps, memories, files, a message during an answer, a wait for an approval with a
 * restart, and changes of the modes. Returns what the vendor got.
 */
export async function playLongChat(provider: ProviderId, { base_url }: { base_url?: 'own' } = {}) {
  await using line = await drive()
  const { wire: server } = line
  let host = await testHost({ models: line.models })
  await configureProvider(localContext(host), {
    provider,
    api_key: 'sk-test-0123456789',
    default_model: provider === 'openrouter' ? 'anthropic/claude' : 'm',
    ...(base_url && { base_url: server.url[provider] }),
  })
  await configureAgent(host, { tools: { allow: ['*'], deny: [] }, max_steps: 60 })
  const turns: PlayedTurn[] = []
  const begin = (what: string) => void turns.push({ what, from: server.requests.length })
  const remember = (content: string) => addEpisode(localContext(host), NewEpisode.parse({ content }))
  await remember('My sister Ana lives in Lisbon and works as a doctor')

  begin('40 steps')
  const steps = Array.from({ length: 40 }, (_, step) =>
    wire.toolCall('files', { action: 'list', path: `part-${step}` }),
  )
  server.script(...steps, wire.text('Nothing is there yet.'))
  await chat(host, { message: 'Look into the parts 0 to 39 and say what is there' })
  const { id } = await onlyConversation(host)
  const say = (message: string, more = {}) => chat(host, { message, conversation_id: id, ...more })

  begin('memories')
  await host.clock.advance(3 * minute)
  server.script(wire.toolCall('time', {}), wire.text('In Lisbon, where Ana lives.'))
  await say('Where does my sister Ana live?')

  begin('files')
  await host.clock.advance(2 * minute)
  const text = await uploaded(host, 'Anna Weber moved to Berlin. '.repeat(200), { name: 'a.txt' })
  const picture = await uploaded(host, png, { name: 'a.png' })
  server.script(wire.toolCall('time', {}), wire.text('It is about Anna Weber.'))
  await say('What is in these?', { attachments: [text.id, picture.id] })

  begin('steered')
  const look = { id: 'call00001', name: 'files', arguments: '{"action":"list","path":"more"}' }
  server.script(wire.slow(['I look. '], { calls: [look] }), wire.text('Il n’y a rien.'))
  await call(send, host, { body: { message: 'Look for more', conversation_id: id } })
  const before = server.requests.length
  await tick(host)
  await server.received(before + 1)
  await call(send, host, { body: { message: 'In French, please', conversation_id: id, when_busy: 'steer' } })
  server.release(100)
  await host.process.running.settled()
  await workOff(host)

  begin('approval and restart')
  await call(setExecutionMode, host, { params: { id }, body: { execution_mode: 'approval_required' } })
  server.script(wire.toolCall('files', { action: 'write', path: 'a.txt', content: 'a' }))
  await call(send, host, { body: { message: 'Write a.txt', conversation_id: id } })
  await workOff(host)
  const approval = await onlyApproval(host)
  host = await restarted(host, line.models)
  await host.clock.advance(6 * minute)
  server.script(wire.text('It is written.'))
  await call(respond, host, { params: { id }, body: { approval_id: approval.id, approved: true } })
  await workOff(host)

  for (const mode of ['chat', 'plan', 'agent'] as const) {
    begin(`mode ${mode}`)
    await call(setMode, host, { params: { id }, body: { mode } })
    server.script(wire.text(`This is ${mode}.`))
    await chat(host, { message: `And in mode ${mode}?`, conversation_id: id })
  }
  return { requests: [...server.requests], turns }
}
