import { useSearchParams } from 'wouter'

/** What a view shows, kept in its address; an empty text takes it away. */
export function useParameters() {
  const [parameters, setParameters] = useSearchParams()
  return {
    of: (name: string) => parameters.get(name) ?? '',
    set: (name: string, value: string) =>
      setParameters(
        (before) => {
          const after = new URLSearchParams(before)
          if (value) after.set(name, value)
          else after.delete(name)
          return after
        },
        { replace: true },
      ),
  }
}
