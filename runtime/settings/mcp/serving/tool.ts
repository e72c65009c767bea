import type { z } from 'zod'
import type { Scope } from '../../../auth/caller.ts'
import type { Context } from '../../../context.ts'

/** What a call has beside its input. */
export interface ServingScope {
  context: Context
  /** Tells the client a line of progress. */
  tell(line: string): Promise<void>
}

/** A tool that hearthd offers to other programs. */
export interface OwnTool<Input = unknown> {
  name: string
  title: string
  description: string
  /** What the caller's credential must hold, beside `read`, which the endpoint asks for. */
  scope: Extract<Scope, 'read' | 'write'>
  input: z.ZodType<Input>
  /** The result is JSON. Refusals are thrown as `Fault`. */
  run(input: Input, scope: ServingScope): Promise<unknown>
}

/** The list holds tools of many inputs; each is given only what its own schema has let through. */
export const ownTool = <Input>(definition: OwnTool<Input>): OwnTool => definition as unknown as OwnTool
