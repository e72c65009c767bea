import type { JsonSchema } from './json-schema.ts'

/** The parts of OpenAPI 3.1 that hearthd uses. */
export interface OpenApi {
  openapi: '3.1.1'
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, PathItem>
  components: {
    schemas: Record<string, JsonSchema>
    securitySchemes: Record<string, Record<string, string>>
  }
}

export type PathItem = Partial<Record<'get' | 'post' | 'put' | 'patch' | 'delete', Operation>>

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  /** Any one of these is sufficient; `{}` means no credential. The names in a list are scopes. */
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Answer>
  'x-websocket'?: true
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
}

export type Content = Record<string, { schema: JsonSchema }>

export interface Answer {
  description: string
  content?: Content
}
