import type { Endpoint, Method, PathParams } from './endpoint.ts'
import type { EventSource } from './sse.ts'

/** The types of a table of endpoints, by method and path: `ApiOf<E>['GET']['/api/agents/{id}']`. */
export type ApiOf<Table extends Endpoint> = {
  [Verb in Method]: {
    [One in Extract<Table, { method: Verb }> as One['path']]: CallOf<One>
  }
}

type CallOf<One extends Endpoint> = {
  params: PathParams<One['path']>
  query: TypesOf<One>['query']
  body: TypesOf<One>['body']
  answer: AnswerOf<TypesOf<One>['answer']>
}

type TypesOf<One extends Endpoint> = NonNullable<One['types']>

/** A stream or a file is read by the caller. */
type AnswerOf<Answer> = EventSource extends Answer ? Response : Answer

/** What a call takes besides its path; members that the endpoint does not take are absent. */
export type CallInput<Call extends { params: unknown; query: unknown; body: unknown }> =
  (unknown extends Call['params'] ? unknown : { params: Call['params'] }) &
    (Call['query'] extends undefined ? unknown : { query?: Call['query'] }) &
    (Call['body'] extends undefined ? unknown : { body: Call['body'] })
