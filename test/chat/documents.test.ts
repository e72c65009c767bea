import { expect, test } from 'vitest'
import { localContext } from '../../runtime/auth/local.ts'
import type { ProviderId } from '../../runtime/models/vendors/index.ts'
import { ModelError, type ModelMessage } from '../../runtime/ports/models.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { docx, encryptedPdf, paragraph, pdf } from '../files/documents-kit.ts'
import { uploaded } from '../files/kit.ts'
import { configureAgent } from '../providers/kit.ts'
import { chat, conversationOf, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { type Step, scriptedModels, text } from '../support/models.ts'

async function daemon(providers: ProviderId[], ...script: Step[]) {
  const models = scriptedModels(...script)
  const host = await testHost({ models })
  for (const provider of providers)
    await configureProvider(localContext(host), {
      provider,
      api_key: 'sk-test-0123456789',
      default_model: 'm',
    })
  const files = () => models.calls.map(({ messages }) => messages.flatMap(filesOf))
  return { host, files }
}

const filesOf = ({ role, content }: ModelMessage) =>
  role === 'user' ? content.filter((part) => part.type === 'file') : []
const rent = pdf([['The rent is 950 euros.']])

async function ask(host: Awaited<ReturnType<typeof testHost>>, bytes: Uint8Array, name: string) {
  const { id } = await uploaded(host, bytes, { name })
  const events = await chat(host, { message: 'How much is the rent?', attachments: [id] })
  expect(events.at(-1)?.event).toBe('done')
}

/** A part of a message, with its content as text. */
const shown = (part: unknown) => {
  const { mime_type, data, omitted } = part as { mime_type: string; data: Uint8Array; omitted?: string }
  return { mime_type, text: new TextDecoder().decode(data), omitted }
}

test('a model that reads PDF gets the file, any other its text', async () => {
  const native = await daemon(['anthropic'], text('950'))
  await ask(native.host, rent, 'rent.pdf')
  expect(native.files()[0]).toMatchObject([{ mime_type: 'application/pdf', data: rent }])

  const plain = await daemon(['groq'], text('950'))
  await ask(plain.host, rent, 'rent.pdf')
  expect(plain.files()[0]?.map(shown)).toEqual([
    { mime_type: 'text/plain', text: '[Page 1]\nThe rent is 950 euros.', omitted: undefined },
  ])
})

test('every model gets office files as text', async () => {
  const { host, files } = await daemon(['anthropic'], text('950'))
  await ask(host, docx(paragraph('The rent is 950 euros.')), 'rent.docx')

  expect(files()[0]?.map(shown)).toMatchObject([{ mime_type: 'text/plain', text: 'The rent is 950 euros.' }])
})

test('a fallback that does not read PDF gets its text', async () => {
  const failed = async function* () {
    yield* []
    throw new ModelError('overloaded', 'busy')
  }
  const { host, files } = await daemon(['anthropic', 'groq'], failed, text('950'))
  await configureAgent(host, {
    model: { provider: 'anthropic', model: 'm', fallbacks: [{ provider: 'groq', model: 'm' }] },
  })
  await ask(host, rent, 'rent.pdf')

  expect(files().map(([part]) => shown(part).mime_type)).toEqual(['application/pdf', 'text/plain'])
})

test('a model that refuses a PDF gets its text', async () => {
  const refused = async function* () {
    yield* []
    throw new ModelError('internal_error', 'no documents', { refuses: 'files' })
  }
  const { host, files } = await daemon(['openai'], refused, text('950'))
  await ask(host, rent, 'rent.pdf')

  expect(files().map(([part]) => shown(part).mime_type)).toEqual(['application/pdf', 'text/plain'])
})

test('a document that cannot be read is named with the reason', async () => {
  const { host, files } = await daemon(['groq'], text('It is encrypted.'))
  await ask(host, encryptedPdf(), 'secret.pdf')

  expect(files()[0]).toMatchObject([
    { mime_type: 'application/pdf', omitted: 'it is encrypted; save it without a password' },
  ])
})

test('the offline model reads a PDF', async () => {
  const host = await testHost()
  const { id } = await uploaded(host, pdf([['Anna Weber moved to Berlin. She works at Siemens.']]), {
    name: 'a.pdf',
  })
  await chat(host, { message: 'who is mentioned in it?', attachments: [id] })
  const { messages } = await conversationOf(host, (await onlyConversation(host)).id)

  expect(messages.at(-1)?.content).toContain('Anna Weber')
})
