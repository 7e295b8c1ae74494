/** The type of the routes, which each part of the app has. */
import type { ComponentType } from 'preact'

/** The parameters of a route, by name. */
export type Parameters = Readonly<Record<string, string>>
/** A component that draws the screen of a route. */
export type Screen = ComponentType<Parameters>

/** A screen and its address. */
export interface Route {
  pattern: string
  load: () => Promise<Screen>
  /** Whether the screen is for everybody, not only for users who are signed in. */
  isOpen?: boolean
}
