import { parentPort } from 'node:worker_threads'
import { factsIn, namesIn } from '../../runtime/memory/graph/rule-reader.ts'
import { errorMessage } from '../../runtime/thrown.ts'
import { lowerPriority } from './priority.ts'
import type { Answer, Question } from './reader.ts'

/** The worker thread. It processes requests one at a time. */
let last: Promise<void> = Promise.resolve()

parentPort?.on('message', (question: Question) => {
  last = last.then(() => answer(question))
})

async function answer(question: Question): Promise<void> {
  try {
    send({ id: question.id, found: await read(question) })
  } catch (thrown) {
    send({ id: question.id, error: errorMessage(thrown) })
  }
}

async function read(question: Question): Promise<unknown[]> {
  const found: unknown[] = []
  if (question.reads === 'names') for (const text of question.texts) found.push(await namesIn(text))
  else for (const text of question.texts) found.push(await factsIn(text))
  return found
}

const send = (message: Answer) => parentPort?.postMessage(message)

lowerPriority()
