import type { FieldProps } from '../../parts/schema/fields.tsx'
import type { Schema } from '../../parts/schema/schema.ts'
import { Field } from '../../parts/schema/schema-form.tsx'

/** The field of an action that is one of `kinds`. Only a notice on a channel has a channel. */
export function ActionField({ kinds, ...props }: FieldProps & { kinds: readonly string[] }) {
  const { channel } = (props.value ?? {}) as { channel?: string }
  const variants = (props.schema.oneOf ?? []).filter(({ properties }) =>
    kinds.includes(String(properties?.kind?.const)),
  )
  const oneOf = channel === 'channel' ? variants : variants.map(withoutChannel)
  return <Field {...props} schema={{ ...props.schema, oneOf }} />
}

function withoutChannel(schema: Schema): Schema {
  const { channel_id: _, ...properties } = schema.properties ?? {}
  return { ...schema, properties }
}
