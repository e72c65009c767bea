import { Button, FileButton, Group, Text } from '@mantine/core'
import { IconPhotoUp } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type DragEvent, useState } from 'react'
import { refresh } from '../../api/live.ts'
import { useApi } from '../../app/services.tsx'
import { Face } from '../../parts/face.tsx'

const kinds = 'image/png,image/jpeg,image/gif,image/webp'

/** Takes a picture from a dialog or dropped onto it. */
export function AvatarField({ name, avatar }: { name: string; avatar: string | null }) {
  const api = useApi()
  const queries = useQueryClient()
  const [over, setOver] = useState(false)
  const refetch = () => refresh(queries, '/api/settings/profile')
  const upload = useMutation({
    mutationFn: (file: File) => {
      const form = new FormData()
      form.append('file', file)
      return api.post('/api/settings/avatar', { body: form })
    },
    onSuccess: refetch,
  })
  const remove = useMutation({
    mutationFn: () => api.put('/api/settings/profile', { body: { avatar_url: null } }),
    onSuccess: refetch,
  })
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer.files[0]
    if (file) upload.mutate(file)
  }
  return (
    <Group
      gap="md"
      onDrop={drop}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      style={{
        outline: over ? '2px dashed var(--mantine-primary-color-filled)' : undefined,
        outlineOffset: 6,
        borderRadius: 8,
      }}
    >
      <Face name={name} url={avatar} size={64} />
      <div>
        <Group gap="xs">
          <FileButton accept={kinds} onChange={(file) => file && upload.mutate(file)}>
            {(props) => (
              <Button
                variant="default"
                size="xs"
                leftSection={<IconPhotoUp size={14} />}
                loading={upload.isPending}
                {...props}
              >
                Choose a picture
              </Button>
            )}
          </FileButton>
          {avatar && (
            <Button variant="subtle" color="gray" size="xs" onClick={() => remove.mutate()}>
              Remove
            </Button>
          )}
        </Group>
        <Text size="xs" c="dimmed" mt={4}>
          PNG, JPEG, GIF or WebP, at most 2 MB. You can drop one here.
        </Text>
      </div>
    </Group>
  )
}
