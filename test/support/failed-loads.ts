interface LoadedModule {
  promise?: Promise<unknown>
}

interface Modules {
  idToModuleMap: ReadonlyMap<string, LoadedModule>
  invalidateModule(module: LoadedModule): void
}

/** The modules that all files of this process share. */
const modules = (): Modules =>
  (globalThis as unknown as { __vitest_worker__: { evaluatedModules: Modules } }).__vitest_worker__.evaluatedModules

/**
 * Lets modules load again that could not be loaded. What is still loading when a file ends is refused, and that refusal would
 * otherwise be the answer to every later import in this process.
 */
export async function forgetFailedLoads(): Promise<void> {
  const { idToModuleMap } = modules()
  for (const module of idToModuleMap.values()) module.promise?.catch(() => modules().invalidateModule(module))
  // Those that have failed are forgotten now, and those that fail later then.
  await Promise.resolve()
}
