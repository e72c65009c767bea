import { FileButton } from '@mantine/core'
import { IconDownload, IconUpload } from '@tabler/icons-react'
import type { Api } from '../../api/client.ts'
import { IconButton, SmallButton, type SmallButtonProps } from '../buttons.tsx'
import { saveFile } from '../save-file.ts'
import { useChange } from '../use-change.ts'

interface DownloadButtonProps {
  name: string
  content: (api: Api) => Promise<Response>
}

/** Saves a file of the daemon through the browser's downloads. */
export function DownloadButton({ name, content }: DownloadButtonProps) {
  const save = useChange((api) => saveFile(name, content(api)))
  return (
    <IconButton label={`Download ${name}`} icon={IconDownload} loading={save.isPending} onClick={() => save.mutate()} />
  )
}

interface UploadButtonProps<Result> extends SmallButtonProps {
  upload: (api: Api, files: File[]) => Promise<Result>
  done?: (result: Result) => unknown
  /** Types of files that can be chosen, as for an input. */
  accept?: string
  multiple?: boolean
}

/** Sends the files that the person chooses. */
export function UploadButton<Result>(props: UploadButtonProps<Result>) {
  const { upload, done, accept, multiple = false, children = 'Upload', ...rest } = props
  const send = useChange(upload, { done })
  return (
    <FileButton
      {...(accept && { accept })}
      multiple={multiple}
      onChange={(chosen: File | File[] | null) => {
        const files = [chosen ?? []].flat()
        if (files.length > 0) send.mutate(files)
      }}
    >
      {(button) => (
        <SmallButton icon={IconUpload} loading={send.isPending} {...rest} {...button}>
          {children}
        </SmallButton>
      )}
    </FileButton>
  )
}
