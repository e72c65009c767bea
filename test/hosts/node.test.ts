import { testDaemon } from '../support/daemon.ts'
import { hostSuite } from './suite.ts'

hostSuite(() => testDaemon())
