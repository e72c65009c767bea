import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { factsIn, namesIn } from '../../runtime/memory/graph/rule-reader.ts'
import type { Answer, Question } from './messages.ts'

/** The body of the worker thread. One question after the other: the next waits until this one is answered. */
let last: Promise<void> = Promise.resolve()

parentPort?.on('message', (question: Question) => {
  last = last.then(() => answer(question))
})

async function answer(question: Question): Promise<void> {
  try {
    tell({ id: question.id, found: await read(question) })
  } catch (thrown) {
    tell({ id: question.id, error: thrown instanceof Error ? thrown.message : String(thrown) })
  }
}

async function read(question: Question): Promise<unknown[]> {
  const found: unknown[] = []
  if (question.reads === 'names') for (const text of question.texts) found.push(await namesIn(text))
  else for (const text of question.texts) found.push(await factsIn(text))
  return found
}

const tell = (message: Answer) => parentPort?.postMessage(message)

/** Where all cores are busy, requests go first, and this goes on a little slower. Linux counts the priority by thread; elsewhere it stays as it is. */
function giveWay(): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 4)
  } catch {
    // no such system
  }
}

giveWay()
