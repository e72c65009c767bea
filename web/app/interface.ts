import { useMantineColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { useInterfaceSettings, useProfile } from '../api/settings.ts'
import { schemeOf } from './theme.ts'

/** Applies the theme of the profile and the interface settings, and opens the start page once. */
export function useInterface(): void {
  const settings = useInterfaceSettings().data
  const [location, navigate] = useLocation()
  const opened = useRef(location !== '/')
  useProfileTheme()
  useEffect(() => {
    if (!settings) return
    const { dataset } = document.documentElement
    dataset.density = settings.density
    dataset.reasoning = settings.show_reasoning ? 'shown' : 'hidden'
    dataset.toolCalls = settings.show_tool_calls ? 'shown' : 'hidden'
    dataset.language = settings.language === 'system' ? '' : settings.language
  }, [settings])
  useEffect(() => {
    if (!settings || opened.current) return
    opened.current = true
    if (location === '/' && settings.start_page !== 'home') navigate(`/${settings.start_page}`, { replace: true })
  }, [settings, location, navigate])
}

/** The profile's theme overrides the one stored in this browser. */
function useProfileTheme(): void {
  const theme = useProfile().data?.theme
  const { setColorScheme } = useMantineColorScheme()
  useEffect(() => {
    if (theme) setColorScheme(schemeOf(theme))
  }, [theme, setColorScheme])
}
