import { z } from 'zod'
import { workingAgent } from '../../agents/index.ts'
import { ownerOf } from '../../auth/owner.ts'
import {
  attachToAnswer,
  createdEvent,
  draft,
  draftConversation,
  findMessage,
  findShownConversation,
  followTurn,
  insertConversation,
  insertTyped,
  NewConversation,
  newTurn,
  permanentErrors,
  questionIn,
  type StreamEvents,
  taintConversation,
} from '../../chat/index.ts'
import type { Context } from '../../context.ts'
import { event } from '../../events/event.ts'
import { Fault } from '../../fault.ts'
import { hasUntrusted } from '../../untrusted.ts'
import { readable } from '../../validation.ts'
import { withField } from '../field-path.ts'
import { type TextWriter, waitingCalls } from '../hook-response.ts'
import { schemaOf } from '../input.ts'
import { wakeKind } from '../kinds.ts'
import { agentId, NodeError, nodeType } from '../node-type.ts'
import { findSession, type Session, saveSession } from '../session-store.ts'
import { answerField, streamField } from './llm.ts'

export const agent = nodeType({
  type: 'agent',
  title: 'Agent',
  description:
    'Gives an agent a task, which it does with its tools. Its output is {text, conversation_id, cost_usd}. Waits while the agent works.',
  category: 'ai',
  params: z.object({
    agent_id: agentId('Leave blank for the default agent'),
    prompt: z.string().trim().min(1).max(100_000).meta({ 'x-format': 'multiline' }),
    model: z
      .string()
      .max(200)
      .default('')
      .meta({ description: 'provider/model. Leave blank for that of the agent', 'x-format': 'model' }),
    session: z.coerce.string().max(500).default('').meta({
      title: 'Continued conversation',
      description:
        'Runs with the same text, such as {{ input.sender_id }}, continue one conversation; whoever chooses it can ask what was said there. Leave blank to begin a new one',
    }),
    schema: z.record(z.string(), z.unknown()).nullable().default(null).meta({
      title: 'Answer schema',
      description: 'JSON Schema: the answer is then such an object instead of a text',
      'x-format': 'json',
    }),
    text_field: answerField,
    stream: streamField,
  }),
  prompts: ['prompt'],
  risk: 'high',
  side_effects: true,
  // The turn is stored in the same commit as the wait, so that it is never started twice.
  effect: () => false,
  async problems({ agent_id }, context) {
    try {
      await workingAgent(context, agent_id || null)
      return []
    } catch (thrown) {
      if (thrown instanceof Fault)
        return [{ field: 'agent_id', message: `is not an agent that can work: ${thrown.message}` }]
      throw thrown
    }
  },
  async run({ agent_id, prompt, model, session, schema, stream }, { context, node, execution }) {
    const working = await workingAgent(context, agent_id || null)
    const key = { workflow_id: execution.workflow_id, node_id: node.id, owner_id: ownerOf(context), session }
    const kept = session === '' ? null : await continued(context, key, working.id)
    const title = `${execution.name}: ${node.name}`.slice(0, 200)
    const drafted = kept ?? (await draftConversation(context, NewConversation.parse({ title, agent_id: working.id })))
    const conversation = { ...drafted, kind: 'internal' as const, execution_mode: 'auto' as const }
    const isSession = session !== '' && !kept
    // Messages are in the order of their ids.
    const request = draft(context, conversation.id, { role: 'user', content: asking(prompt, schema) })
    const turn = newTurn(context, conversation.id, {
      ...(model ? { model } : {}),
      spender: { run_ref: execution.id },
      followed_by: { kind: wakeKind, subject: execution.id },
      queued: true,
    })
    const ref = turn.answer.id
    return {
      wait: {
        kind: 'agent',
        message: `${working.name} is working`,
        ref,
        data: { conversation_id: conversation.id },
      },
      statements: [
        ...(kept ? [] : [insertConversation(conversation)]),
        ...(isSession ? [saveSession({ ...key, conversation_id: conversation.id })] : []),
        // What an expression put into the prompt may come from anywhere. The rest was written by the owner.
        ...(hasUntrusted(prompt) ? [taintConversation(conversation.id)] : []),
        insertTyped(request),
        ...turn.statements,
      ],
      events: [
        ...(kept ? [] : [createdEvent(conversation)]),
        event('agent.run.started', { conversation_id: conversation.id, message_id: ref }),
      ],
      announce() {
        const writer = stream && !schema && waitingCalls(context).get(execution.id)?.writer?.(node)
        if (writer) void writeAnswer(context, ref, writer)
      },
    }
  },
  async ready({ ref }, context) {
    const message = ref ? await findMessage(context, ref) : null
    return message?.status === 'streaming' ? undefined : (message?.id ?? null)
  },
  async resume({ schema, text_field }, { context }, wait) {
    const message = wait.ref ? await findMessage(context, wait.ref) : null
    if (!message) throw new NodeError('deleted', 'The conversation of the agent was deleted')
    const { error, content, conversation_id, input_tokens, output_tokens, cost_usd } = message
    if (error)
      throw new NodeError(error.code, error.message, {
        permanent: permanentErrors.includes(error.code),
        // Without a call of a tool, nothing was done.
        definite: !message.parts.some(({ type }) => type === 'tool_use'),
      })
    const question = questionIn(message)
    if (schema) {
      const value = structured(content, schema)
      return { output: text_field === '' ? value : withField({}, text_field, value) }
    }
    const details = { question: question?.question ?? null, conversation_id, input_tokens, output_tokens, cost_usd }
    return { output: withField(details, text_field || 'text', content) }
  },
})

/** Writes an answer as it comes. */
async function writeAnswer(context: Context, id: string, writer: TextWriter): Promise<void> {
  let text = ''
  let written = ''
  const take = (all: string) => {
    text = all
    // A vendor that breaks off begins its step again, perhaps with other words.
    if (!all.startsWith(written) && !written.startsWith(all)) throw new Error('The text has changed')
    if (all.length > written.length) writer.write(all.slice(written.length))
    written = all.length > written.length ? all : written
  }
  try {
    const answer = await findMessage(context, id)
    if (!answer) return writer.end()
    for await (const { event, data } of followTurn(
      context,
      await attachToAnswer(context, answer),
      context.process.stopping,
    )) {
      if (event === 'message_start') text = ''
      else if (event === 'token') take(text + (data as StreamEvents['token']).content)
      else if (event === 'error') return writer.fail()
    }
    writer.end()
  } catch {
    writer.fail()
  }
}

/** The conversation of a session, if it is still there and with the same agent. */
async function continued(context: Context, key: Omit<Session, 'conversation_id'>, agent: string) {
  const session = await findSession(context, key)
  const conversation = session && (await findShownConversation(context, session.conversation_id))
  return conversation?.agent_id === agent ? conversation : null
}

type JsonSchema = Record<string, unknown>

const asking = (prompt: string, schema: JsonSchema | null): string =>
  schema ? `${prompt}\n\nAnswer with JSON of this schema and nothing else:\n${JSON.stringify(schema)}` : prompt

/** The object in an answer, which may stand between other text. */
function structured(content: string, schema: JsonSchema): unknown {
  const json = content.slice(content.indexOf('{'), content.lastIndexOf('}') + 1)
  const unusable = (reason: string) =>
    new NodeError('unusable_answer', `The agent did not answer as the schema says: ${reason}`)
  try {
    const read = schemaOf(schema)?.safeParse(JSON.parse(json), readable)
    if (read?.success) return read.data
    throw unusable(read?.error.issues[0]?.message ?? 'it is no JSON Schema')
  } catch (thrown) {
    throw thrown instanceof NodeError ? thrown : unusable('it is no JSON')
  }
}
