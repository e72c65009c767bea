import { z } from 'zod'
import type { Risk } from '../tools/modes.ts'

interface CommandSpec {
  title: string
  description: string
  risk: Risk
  params: z.ZodType
}

const nothing = z.object({})
const path = z.string().min(1).max(1_000)
const text = z.string().max(500_000)

/** Bytes of a file per command; a larger file takes several commands. */
export const maxFilePart = 512 * 1024
const base64Part = z.base64().max(Math.ceil(maxFilePart / 3) * 4)

/** The commands that hearthd knows. A device may offer others, which accept any parameters and are treated as high risk. */
export const catalogue: Readonly<Record<string, CommandSpec>> = {
  notify: {
    title: 'Notify',
    description: 'Shows a notification.',
    risk: 'low',
    params: z.object({ title: z.string().trim().min(1).max(200), body: z.string().max(2_000).default('') }),
  },
  health: {
    title: 'Health',
    description: 'Reports battery, processor, memory and disk usage.',
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
  screenshot: { title: 'Screenshot', description: 'Takes a screenshot.', risk: 'high', params: nothing },
  camera: {
    title: 'Camera',
    description: 'Takes a photo.',
    risk: 'high',
    params: z.object({ facing: z.enum(['user', 'environment']).default('environment') }),
  },
  microphone: {
    title: 'Microphone',
    description: 'Records sound for some seconds.',
    risk: 'high',
    params: z.object({ seconds: z.int().min(1).max(20).default(5) }),
  },
  location: {
    title: 'Location',
    description: 'Returns the location of the device.',
    risk: 'high',
    params: nothing,
  },
  'files.list': {
    title: 'List files',
    description: 'Lists a folder in the shared folder of the device.',
    risk: 'medium',
    params: z.object({ path: z.string().max(1_000).default('') }),
  },
  'files.pull': {
    title: 'Get a file',
    description: `Reads up to ${maxFilePart / 1024} KiB of a file in the shared folder, starting at \`offset\`.`,
    risk: 'medium',
    params: z.object({ path, offset: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0) }),
  },
  'files.push': {
    title: 'Put a file',
    description: `Writes a file in the shared folder: text, or up to ${maxFilePart / 1024} KiB as base64. \`append\` appends to the file.`,
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
    description: 'Runs a program that the device allows, without a shell.',
    risk: 'high',
    params: z.object({
      command: z.string().min(1).max(500),
      args: z.array(z.string().max(10_000)).max(100).default([]),
    }),
  },
  approvals: {
    title: 'Answer approvals',
    description: 'The device shows its owner’s pending approvals and can answer them. It is not a command.',
    risk: 'high',
    params: nothing,
  },
}

/** Capabilities that are not commands. */
const passive = new Set(['approvals'])
export const isCommand = (name: string): boolean => !passive.has(name)

export const specOf = (command: string): CommandSpec | undefined =>
  Object.hasOwn(catalogue, command) ? catalogue[command] : undefined
export const riskOf = (command: string): Risk => specOf(command)?.risk ?? 'high'
export const titleOf = (command: string): string => specOf(command)?.title ?? command

/** Capabilities that pairing approves automatically. */
export const isHarmless = (command: string): boolean => riskOf(command) === 'low'
