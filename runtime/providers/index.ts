/** The door of providers: what its neighbours may use. */

// Choosing a model and what it can do; access to its vendor.
export {
  accessTo,
  chooseModel,
  connectedModel,
  learnContext,
  type ModelAccess,
  readsFiles,
  refusedBy,
  rememberRefusals,
} from './access.ts'
// The one way to call a model: retries, limits, costs.
export {
  type Adjusted,
  type CallContent,
  type CallEvent,
  type CallUsage,
  callModel,
  estimateInput,
  estimateOutput,
  type Retry,
} from './call.ts'
// Model servers on this machine.
export { discoverServers } from './discover.ts'
// Which failures pass by themselves.
export { mayPass } from './failover.ts'
// Usage limits of vendors, and the model that stands in.
export { changeBackup, readBackup, showUsage } from './limits.ts'
// How often a call waits for a limit before it fails.
export { maxBreaks } from './postpone.ts'
// Providers by their rules.
export { askContext, changePrices, configureProvider, findProvider, showProviders } from './providers.ts'
// The wire format of providers.
export { BackupChange, PriceChange, Provider, SetupProvider } from './schema.ts'
// Providers and prices as rows.
export { listPrices, listProviderRecords } from './store.ts'
// Asking a model for JSON of a schema.
export { askStructured, jsonIn, UnusableAnswer } from './structured.ts'
// Writing down what is said in a recording.
export { transcribe } from './transcribe.ts'
