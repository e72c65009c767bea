import type { Intent } from '../types.ts'
import { calculation } from './calculate.ts'
import { cannot } from './cannot.ts'
import { dateQuestion } from './date-question.ts'
import { deliver } from './deliver.ts'
import { echo } from './echo.ts'
import { extract } from './extract.ts'
import { fetchPage } from './fetch.ts'
import { filesRead } from './files-read.ts'
import { filesWrite } from './files-write.ts'
import { help } from './help.ts'
import { httpRequest } from './http-request.ts'
import { cancelJob, listJobs } from './jobs.ts'
import { knowledge } from './knowledge.ts'
import { offer } from './offer.ts'
import { otherLanguage } from './other-language.ts'
import { plan } from './plan.ts'
import { project } from './project.ts'
import { recall } from './recall.ts'
import { remember } from './remember.ts'
import { schedule } from './schedule.ts'
import { smalltalk } from './smalltalk.ts'
import { summariseText } from './summarise.ts'
import { time } from './time.ts'
import { timeQuestion } from './time-question.ts'
import { todo } from './todo.ts'
import { useTool } from './use-tool.ts'
import { workflow } from './workflow.ts'

/** In the order of help, and of preference when two score alike. */
export const INTENTS: readonly Intent[] = [
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
  timeQuestion,
  todo,
  filesRead,
  filesWrite,
  plan,
  summariseText,
  extract,
  project,
  workflow,
  httpRequest,
  useTool,
  echo,
  help,
  smalltalk,
  otherLanguage,
  cannot,
  knowledge,
  offer,
]
