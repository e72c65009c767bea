import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { factsIn, namesIn } from '../../runtime/memory/graph/rule-reader.ts'
import { errorMessage } from '../../runtime/thrown.ts'
import type { Answer, Question } from './reader.ts'

parentPort?.on('message', async (question: Question) => parentPort?.postMessage(await answer(question)))

async function answer(question: Question): Promise<Answer> {
  const values: unknown[] = []
  try {
    if (question.reads === 'names') for (const text of question.texts) values.push(await namesIn(text))
    else for (const text of question.texts) values.push(await factsIn(text))
    return { values }
  } catch (thrown) {
    return { error: errorMessage(thrown) }
  }
}

// On Linux threads have priorities: requests come first when all cores are busy.
try {
  setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 4)
} catch {}
