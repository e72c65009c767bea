import { z } from 'zod'
import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import { Fault } from '../fault.ts'
import type { ScriptCall } from '../ports/script.ts'
import type { Statement } from '../ports/sql.ts'
import { errorMessage } from '../thrown.ts'
import type { Risk } from '../tools/modes.ts'
import type { FormPage } from './form.ts'
import type { Parent, Parents } from './items.ts'
import type { Definition, NodeTypeInfo, RunError, WaitingFor, WorkflowNode } from './schema.ts'

/** What arrived at an input of a node with several inputs. */
export interface Arrived {
  edge: string
  /** The node that it is from. */
  source: string
  /** Of the edge. */
  target_input: number
  /** Its number as `input` of a `Parent`: by input, then in the order of the edges. */
  input: number
  value: unknown
}

/** What a node may use while it runs. */
export interface NodeScope {
  /** Works for the owner of the execution. `signal` aborts at the node's time limit or when the execution is cancelled. */
  context: Context
  node: WorkflowNode
  definition: Definition
  execution: { id: string; workflow_id: string; name: string }
  /** The item, if the node runs for each. */
  input: unknown
  /** For a node with several inputs: what arrived, in that order. */
  inputs: readonly Arrived[]
  /** Identifies this run of the node, also after a restart. */
  token: number
  /** Evaluates the expression of a parameter that is code, which finds the variables next to the data of the node. */
  evaluate(field: string, expression: string, variables?: Readonly<Record<string, unknown>>): Promise<unknown>
  /** The value that code returns. Throws `NodeError`. */
  runScript(call: ScriptCall): Promise<unknown>
  /** The items that code returns, which finds the items of the input and of other nodes. */
  runItems(call: ItemCode): Promise<OutputItem[]>
}

export type ItemCode = ScriptCall & { run: 'all_items' | 'each_item' | 'each_data' }

/** What a waiting node is waiting for. */
export type Wait = Pick<WaitingFor, 'kind' | 'message'> &
  Partial<Pick<WaitingFor, 'options' | 'until' | 'ref'>> & {
    /** For `resume`; JSON. */
    data?: unknown
  }

/** An item of an output, and the items of the input that it was made from. */
export interface OutputItem {
  item: unknown
  from: Parent | readonly Parent[] | null
}

export type NodeResult =
  | {
      output: unknown
      /** Default: `main`. */
      to?: string | readonly string[]
      /** Default: item i is made from item i, or all from the only one. */
      parents?: Parents
      /** Nodes that may run at once from here on. */
      width?: number
      /** What whoever answered the form is shown from here on. */
      page?: FormPage
      /** Called once this is stored, to tell those who wait for it. */
      announce?(): void
    }
  /** Lists of items by output. Nothing runs after an output without items. */
  | { outputs: Readonly<Record<string, readonly OutputItem[]>> }
  /** The node waits; `statements` and `events` are part of the commit that stores this, and `announce` follows it. */
  | { wait: Wait; statements?: Statement[]; events?: EventInput[]; announce?(): void }
  | { loop: LoopResult }

interface LoopResult {
  items: unknown[]
  batch_size: number
  collect: boolean
  only_items: boolean
  /** The node itself runs for each item. */
  each?: boolean
}

/** How a wait ended. */
export type Signal =
  | { type: 'answer'; choice: string; comment: string; by: string | null; values?: Record<string, unknown> }
  /** Its time is up. */
  | { type: 'due' }
  /** What it waits for has ended or changed. */
  | { type: 'wake'; value: unknown }

export interface ParamProblem {
  /** Path below the node's parameters, for example `url`. Empty for the node itself. */
  field: string
  message: string
}

/** One type of node: what it is called, what it takes, what it may do, and how it runs. */
export interface NodeType<Params = unknown> {
  type: string
  title: string
  description: string
  category: NodeTypeInfo['category']
  params: z.ZodType<Params>
  /** Default: `main`. All have `error` as well. */
  outputs?: NodeTypeInfo['outputs']
  outputs_from?: string
  /** With a list as input and `input_mode: auto` it runs for each item. Default: once, with the list. */
  usual_input?: 'item' | 'list'
  /**
   * It only computes: no effect, no wait, no input or output. Its result is stored together with those of other such nodes.
   * All items of a list are one run of it, unless it is `whole`; those of other types are runs of their own.
   */
  pure?: true | 'whole'
  /** Parameters that are code and not templates, by dotted path; `*` stands for each item of a list. */
  code?: Readonly<Record<string, 'jsonata' | 'javascript'>>
  /** Parameters that a model reads: what their expressions fill in is marked as untrusted, unless a person typed it. */
  prompts?: readonly string[]
  /** Parameters whose texts stay apart from the values of their expressions; see `bound-text.ts`. */
  bound?: readonly string[]
  /** An example of a trigger's output. */
  sample?: unknown
  risk: Risk
  /** Whether a run with these parameters changes something outside, so that it must not be repeated unasked. */
  effect?(params: Params, context: Context): boolean | Promise<boolean>
  side_effects?: boolean
  /** Why the type cannot be used here, such as an area that does not exist. */
  unavailable?: string
  /** What is wrong beyond the shape of the parameters, such as a credential that is missing. */
  problems?(params: Params, context: Context): Promise<ParamProblem[]>
  /** Asked before each run, for a type without `resume`: the parameters to run with, or a wait for a person's approval. */
  gate?(params: Params, scope: NodeScope): Promise<{ params: Params } | { wait: Wait }>
  run(params: Params, scope: NodeScope): Promise<NodeResult>
  /** What a wait waits for, if it has ended; undefined if not. Asked whenever the execution continues. */
  ready?(wait: Wait, context: Context): Promise<unknown>
  /** Continues after a wait. Returns another wait to continue waiting. */
  resume?(params: Params, scope: NodeScope, wait: Wait, signal: Signal): Promise<NodeResult>
}

interface Certainty {
  permanent?: boolean
  /** Default: `permanent`. */
  definite?: boolean
  stops?: boolean
}

/** An error of a node with a code that the workflow can tell apart. Everything else has the code `error`. */
export class NodeError extends Error {
  override name = 'NodeError'
  readonly code: string
  /** Another attempt would fail as well. */
  readonly permanent: boolean
  /** It is known what happened: nothing was done, or the other side has answered. */
  readonly definite: boolean
  /** The execution fails, whatever `on_error` says: the workflow cannot do what it was drawn for. */
  readonly stops: boolean

  constructor(
    code: string,
    message: string,
    { permanent = false, definite = permanent, stops = false }: Certainty = {},
  ) {
    super(message)
    this.code = code
    this.permanent = permanent
    this.definite = definite
    this.stops = stops
  }
}

/** An error that another attempt would meet as well. */
export const permanentError = (code: string, message: string) => new NodeError(code, message, { permanent: true })

/** The error of a node that another part of the program refused to serve. Everything else stays as it is. */
export const refusal = (thrown: unknown, code?: string): unknown =>
  thrown instanceof Fault ? new NodeError(code ?? thrown.code, thrown.message, { definite: true }) : thrown

export const toRunError = (node_id: string, thrown: unknown): RunError => ({
  node_id,
  code: thrown instanceof NodeError ? thrown.code : 'error',
  message: errorMessage(thrown).slice(0, 5_000),
})

/** A parameter that names an agent; empty for the default agent. */
export const agentId = (description: string) =>
  z.string().max(64).default('').meta({ description, 'x-format': 'agent' })

/** Infers the type of the parameters from their schema. */
export const nodeType = <Params>(definition: NodeType<Params>): NodeType => definition as unknown as NodeType
