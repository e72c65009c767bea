import { type Environment, readEnvironment } from '../environment.ts'
import { type Options, textOption } from './command.ts'

/** The environment with what `--host` and `--port` say instead; both are checked like the variables. */
export function environmentOf(options: Options): Environment {
  const host = textOption(options, 'host')
  const port = textOption(options, 'port')
  return readEnvironment({
    ...process.env,
    ...(host === undefined ? {} : { SERVICE_HOST: host }),
    ...(port === undefined ? {} : { SERVICE_PORT: port }),
  })
}
