import { z } from 'zod'
import { anthropic } from './anthropic.ts'
import { deepseek } from './deepseek.ts'
import { google } from './google.ts'
import { groq } from './groq.ts'
import { mistral } from './mistral.ts'
import models from './models.json' with { type: 'json' }
import { ollama } from './ollama.ts'
import { openai } from './openai.ts'
import { openrouter } from './openrouter.ts'
import type { Vendor } from './vendor.ts'

const list = [anthropic, openai, google, mistral, groq, deepseek, openrouter, ollama] as const

/** The only list of model providers. A provider is its own file and one entry here. */
export const vendors: readonly Vendor[] = list

type Id = (typeof list)[number]['id']

const ids = list.map(({ id }) => id) as [Id, ...Id[]]

export const ProviderId = z.enum(ids)
export type ProviderId = z.infer<typeof ProviderId>

export const findVendor = (id: string): Vendor | undefined => vendors.find((one) => one.id === id)

/** The date on which the list prices and context sizes were last compared with the vendors' public lists. */
export const pricesAsOf = models.as_of
