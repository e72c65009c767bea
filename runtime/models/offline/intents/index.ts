import type { Intent } from '../types.ts'
import { chance } from './chance.ts'
import { readFiles, writeFiles } from './files.ts'
import { cancelJob, deliver, listJobs, schedule } from './jobs.ts'
import { offer, project, todo, useTool, workflow } from './lists.ts'
import { knowledge, recall, remember } from './memory.ts'
import { calculation, dateQuestion, time } from './numbers.ts'
import { otherLanguage } from './other-language.ts'
import { cannot, help, smalltalk } from './talk.ts'
import { echo, extract, plan, summariseText } from './texts.ts'
import { transform } from './transform.ts'
import { fetchPage, httpRequest } from './web.ts'

/** In the order of help, and of preference when two score alike. */
export const INTENTS: readonly Intent[] = [
  ...[
    deliver,
    remember,
    recall,
    fetchPage,
    schedule,
    listJobs,
    cancelJob,
    calculation,
    dateQuestion,
    time,
    todo,
  ],
  ...[
    readFiles,
    writeFiles,
    plan,
    summariseText,
    extract,
    project,
    workflow,
    transform,
    chance,
    httpRequest,
    useTool,
    echo,
  ],
  ...[help, smalltalk, otherLanguage, cannot, knowledge, offer],
]
