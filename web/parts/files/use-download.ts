import { useMutation } from '@tanstack/react-query'
import { useApi } from '../../app/services.tsx'
import { saveFile } from '../save-file.ts'

/** Hands a stored file to the browser's downloads. */
export function useDownload() {
  const api = useApi()
  return useMutation({
    mutationFn: async ({ id, name }: { id: string; name: string }) =>
      saveFile(name, await (await api.raw('GET', `/api/files/${id}/content`)).blob()),
  })
}
