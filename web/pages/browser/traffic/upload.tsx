import { Button, FileInput, Stack, Text, TextInput } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../api/error.ts'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'
import { counted } from '../../../parts/numbers.ts'
import { useDesk } from '../desk.tsx'
import { elementOf } from '../side/act-fields.ts'

/** Gives files of this computer to a field of the page. */
export function UploadForm() {
  const api = useApi()
  const { tab } = useDesk()
  const [files, setFiles] = useState<File[]>([])
  const [element, setElement] = useState('')
  const give = useMutation({
    mutationFn() {
      const form = new FormData()
      const target = { ...elementOf(element), ...(tab && { tab_id: tab.id }) }
      for (const [name, value] of Object.entries(target)) form.append(name, String(value))
      for (const file of files) form.append('file', file)
      return api.post<{ uploaded: string[] }>('/api/browser/upload', form)
    },
    meta: { shown: true },
    onSuccess({ uploaded }) {
      announce(`The page has ${counted(uploaded.length, 'file', 'files')}`)
      setFiles([])
    },
  })
  const hint = give.error instanceof ApiError ? give.error.hint : null
  return (
    <form
      aria-label="Give files to the page"
      onSubmit={(event) => {
        event.preventDefault()
        if (files.length > 0 && element.trim()) give.mutate()
      }}
    >
      <Stack gap="xs" p="sm">
        <FileInput
          size="xs"
          label="Give files to the page"
          placeholder="Choose files"
          multiple
          clearable
          clearButtonProps={{ 'aria-label': 'No files' }}
          value={files}
          onChange={setFiles}
        />
        <TextInput
          size="xs"
          label="Field"
          description="Its number in the snapshot, or a selector: the field, its label, its button or a drop zone"
          placeholder="12 or input[type=file]"
          value={element}
          error={give.error ? give.error.message : null}
          onChange={(event) => setElement(event.currentTarget.value)}
        />
        {hint && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {hint}
          </Text>
        )}
        <Button
          type="submit"
          size="xs"
          variant="default"
          style={{ alignSelf: 'flex-end' }}
          leftSection={<IconUpload size={15} />}
          loading={give.isPending}
          disabled={files.length === 0 || !element.trim()}
        >
          Give them
        </Button>
      </Stack>
    </form>
  )
}
