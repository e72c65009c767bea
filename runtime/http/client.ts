import type { Endpoint } from './endpoint.ts'
import type { Method, PathParams } from './endpoint-info.ts'
import type { EventSource } from './sse.ts'

/** Types of a list of endpoints, by method and path: `ApiOf<E>['GET']['/api/agents/{id}']`. */
export type ApiOf<Table extends Endpoint> = {
  [Verb in Method]: { [One in Extract<Table, { method: Verb }> as One['path']]: CallOf<One> }
}

type CallOf<One extends Endpoint> = {
  params: PathParams<One['path']>
  query: TypesOf<One>['query']
  body: TypesOf<One>['body']
  answer: AnswerOf<TypesOf<One>['answer']>
}

type TypesOf<One extends Endpoint> = NonNullable<One['types']>

/** For a stream or a file the caller reads the `Response`. */
type AnswerOf<Answer> = EventSource extends Answer ? Response : Answer

/** Input of a call besides its path. Contains only the fields that the endpoint takes. */
export type CallInput<Call extends { params: unknown; query: unknown; body: unknown }> = (unknown extends Call['params']
  ? unknown
  : { params: Call['params'] }) &
  (Call['query'] extends undefined ? unknown : { query?: Call['query'] }) &
  (Call['body'] extends undefined ? unknown : { body: Call['body'] })
