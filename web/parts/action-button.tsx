import { SmallButton, type SmallButtonProps } from './buttons.tsx'
import { type Run, useRun } from './use-change.ts'

export interface ActionButtonProps<Result> extends SmallButtonProps {
  run: Run<Result>
  /** Called after a `run` through the API. */
  done?: (result: Result) => unknown
}

/** Runs a mutation and shows while it runs. */
export function ActionButton<Result>({ run, done, ...rest }: ActionButtonProps<Result>) {
  const { mutate, isPending } = useRun(run, done)
  return <SmallButton loading={isPending} onClick={() => mutate()} {...rest} />
}
