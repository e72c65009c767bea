import { useSearchParams } from 'wouter'

/** The state of a view in its address, so that back, reload and links keep it. An empty value is removed. */
export function useParameters() {
  const [parameters, setParameters] = useSearchParams()
  return {
    get: (name: string) => parameters.get(name) ?? '',
    set: (changes: Record<string, string>) =>
      setParameters(
        (before) => {
          const after = new URLSearchParams(before)
          for (const [name, value] of Object.entries(changes))
            if (value) after.set(name, value)
            else after.delete(name)
          return after
        },
        { replace: true },
      ),
  }
}
