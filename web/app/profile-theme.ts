import { useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { profileQuery } from '../api/settings.ts'
import { useApi } from './services.tsx'
import { schemeOf } from './theme.ts'

/** The profile's theme wins over what this browser remembers, once it is known. */
export function useProfileTheme(): void {
  const theme = useQuery(profileQuery(useApi())).data?.theme
  const { setColorScheme } = useMantineColorScheme()
  useEffect(() => {
    if (theme) setColorScheme(schemeOf(theme))
  }, [theme, setColorScheme])
}
