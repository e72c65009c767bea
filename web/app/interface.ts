import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { interfaceQuery } from '../api/settings.ts'
import { useApi } from './services.tsx'

/** Puts the interface settings where styles and formats find them, and opens the start page once. */
export function useInterface(): void {
  const settings = useQuery(interfaceQuery(useApi())).data
  const [location, navigate] = useLocation()
  const opened = useRef(location !== '/')
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
    if (location === '/' && settings.start_page !== 'home')
      navigate(`/${settings.start_page}`, { replace: true })
  }, [settings, location, navigate])
}
