import { z } from 'zod'
import type { Risk } from '../chat/schema.ts'

interface CommandSpec {
  title: string
  description: string
  risk: Risk
  params: z.ZodType
}

const nothing = z.object({})
const path = z.string().min(1).max(1_000)
const text = z.string().max(500_000)

/** Bytes of a file in one command; a larger file takes several. */
export const maxFilePart = 512 * 1024
const base64Part = z.base64().max(Math.ceil(maxFilePart / 3) * 4)

/** The commands that hearthd knows. A device may offer others: they take any parameters and count as risky. */
export const catalogue: Readonly<Record<string, CommandSpec>> = {
  notify: {
    title: 'Notify',
    description: 'Shows a notification.',
    risk: 'low',
    params: z.object({ title: z.string().trim().min(1).max(200), body: z.string().max(2_000).default('') }),
  },
  health: {
    title: 'Health',
    description: 'Measures battery, processor, memory and disk.',
    risk: 'low',
    params: nothing,
  },
  open_url: {
    title: 'Open a page',
    description: 'Opens a web page on the device.',
    risk: 'medium',
    params: z.object({ url: z.url({ protocol: /^https?$/ }).max(2_000) }),
  },
  'clipboard.read': {
    title: 'Read the clipboard',
    description: 'Returns the text of the clipboard.',
    risk: 'high',
    params: nothing,
  },
  'clipboard.write': {
    title: 'Write the clipboard',
    description: 'Replaces the text of the clipboard.',
    risk: 'medium',
    params: z.object({ text }),
  },
  screenshot: {
    title: 'Screenshot',
    description: 'Returns a picture of the screen.',
    risk: 'high',
    params: nothing,
  },
  camera: {
    title: 'Camera',
    description: 'Takes a photo.',
    risk: 'high',
    params: z.object({ facing: z.enum(['user', 'environment']).default('environment') }),
  },
  location: { title: 'Location', description: 'Returns where the device is.', risk: 'high', params: nothing },
  'files.list': {
    title: 'List files',
    description: 'Lists a folder inside the shared folder of the device.',
    risk: 'medium',
    params: z.object({ path: z.string().max(1_000).default('') }),
  },
  'files.pull': {
    title: 'Get a file',
    description: `Reads up to ${maxFilePart / 1024} KiB of a file of the shared folder, from \`offset\`.`,
    risk: 'medium',
    params: z.object({ path, offset: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0) }),
  },
  'files.push': {
    title: 'Put a file',
    description: `Writes a file of the shared folder: text, or up to ${maxFilePart / 1024} KiB as base64. \`append\` adds to it.`,
    risk: 'medium',
    params: z
      .object({
        path,
        text: z.string().max(maxFilePart).optional(),
        base64: base64Part.optional(),
        append: z.boolean().default(false),
      })
      .refine(({ text, base64 }) => (text === undefined) !== (base64 === undefined), {
        error: 'needs either text or base64',
      }),
  },
  'system.run': {
    title: 'Run a program',
    description: 'Runs a program that the device has on its list, without a shell.',
    risk: 'high',
    params: z.object({
      command: z.string().min(1).max(500),
      args: z.array(z.string().max(10_000)).max(100).default([]),
    }),
  },
  approvals: {
    title: 'Answer approvals',
    description:
      'The device shows what waits for the approval of its owner and may approve it. It is no command.',
    risk: 'high',
    params: nothing,
  },
}

/** Capabilities that are no commands. */
const passive = new Set(['approvals'])
export const isCommand = (name: string): boolean => !passive.has(name)

export const specOf = (command: string): CommandSpec | undefined =>
  Object.hasOwn(catalogue, command) ? catalogue[command] : undefined
export const riskOf = (command: string): Risk => specOf(command)?.risk ?? 'high'
export const titleOf = (command: string): string => specOf(command)?.title ?? command

/** Capabilities that need no decision when the owner pairs the device himself. */
export const isHarmless = (command: string): boolean => riskOf(command) === 'low'
