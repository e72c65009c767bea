import type { AuthState } from '../../runtime/browser/auth-state-store.ts'
import type { Download } from '../../runtime/browser/files.ts'
import type {
  Recording,
  RecordingDetail,
  Replay,
  ReplayStep,
  ScreenRecording,
} from '../../runtime/browser/recordings/schema.ts'
import type {
  Action,
  ActionName,
  ActionResult,
  BrowserStatus,
  Cookie,
  Mock,
  NetworkRequest,
  Snapshot,
  Tab,
} from '../../runtime/browser/schema.ts'
import type { BrowserProfile, Emulation } from '../../runtime/browser/settings.ts'
import type { ConsoleLine } from '../../runtime/ports/browser.ts'

export type {
  Action,
  ActionName,
  ActionResult,
  AuthState,
  BrowserProfile,
  BrowserStatus,
  ConsoleLine,
  Cookie,
  Download,
  Emulation,
  Mock,
  NetworkRequest,
  Recording,
  RecordingDetail,
  Replay,
  ReplayStep,
  ScreenRecording,
  Snapshot,
  Tab,
}
