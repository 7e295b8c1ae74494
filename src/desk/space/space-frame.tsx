/** The frame of all screens of a space: the path, the ribbon with its tabs, and the page tree. */
import type { ComponentChildren } from 'preact'
import { api, body } from '../api/client.js'
import { useData } from '../api/data.js'
import { Frame, Ribbon } from '../shell/frame.js'
import { Chip } from '../shell/notes.js'
import type { Crumb } from '../shell/top.js'
import { words } from '../words/index.js'
import type { Space } from './space.js'

/** The tabs of a space. */
export type SpaceTab = 'pages' | 'requests' | 'history' | 'links' | 'connection' | 'settings'

/** The parts of a screen of a space. */
export interface SpaceFrameProps {
  space: Space
  title: string
  tab: SpaceTab
  /** The ribbon's buttons. */
  actions?: ComponentChildren
  /** Replaces the ribbon, for example in a change request. */
  ribbon?: ComponentChildren
  /** The breadcrumbs below the space. */
  crumbs?: readonly Crumb[]
  side?: ComponentChildren
  rail?: ComponentChildren
  railLabel?: string
  foot?: ComponentChildren
  main?: string
  children: ComponentChildren
}

/** Loads an organization's title for the path. */
const useOrganization = (organizationId: string | undefined) =>
  useData(organizationId === undefined ? null : `organization/${organizationId}`, () =>
    body(api.GET('/v1/orgs/{organizationId}', { params: { path: { organizationId: organizationId ?? '' } } })),
  )

export function SpaceFrame({ space, tab, actions, ribbon, crumbs = [], ...rest }: SpaceFrameProps) {
  const organization = useOrganization(space.organization).value
  const path: Crumb[] = [
    ...(organization ? [{ title: organization.title, href: `/o/${organization.id}` }] : []),
    { title: space.title, href: `/s/${space.id}` },
    ...crumbs,
  ]
  return (
    <Frame
      crumbs={path}
      ribbon={ribbon ?? <SpaceRibbon space={space} tab={tab} actions={actions} />}
      hasDock={actions !== undefined || ribbon !== undefined}
      {...rest}
    />
  )
}

function SpaceRibbon({ space, tab, actions }: { space: Space; tab: SpaceTab; actions: ComponentChildren }) {
  const w = words().space
  const at = `/s/${space.id}`
  const open = useData(`space/${space.id}/open-requests`, () =>
    body(
      api.GET('/v1/spaces/{spaceId}/change-requests', {
        params: { path: { spaceId: space.id }, query: { status: 'open', limit: 1 } },
      }),
    ),
  ).value
  const tabs: [SpaceTab, string, string][] = [
    ['pages', at, w.tabs.pages],
    ['requests', `${at}/c`, w.tabs.requests],
    ['history', `${at}/history`, w.tabs.history],
    ['links', `${at}/links`, w.tabs.links],
    ...(space.permissions.admin
      ? ([
          ['connection', `${at}/connection`, w.tabs.connection],
          ['settings', `${at}/settings`, w.tabs.settings],
        ] as [SpaceTab, string, string][])
      : []),
  ]
  return (
    <Ribbon
      head={
        <>
          <span class="emoji" aria-hidden="true">
            {[...space.title][0]?.toUpperCase()}
          </span>
          <span class="r-title">{space.title}</span>
          <Chip icon="check">{w.mainContent}</Chip>
        </>
      }
      tabsLabel={w.label}
      tabs={tabs.map(([name, href, text]) => (
        <a key={name} href={href} aria-current={name === tab ? 'page' : undefined}>
          {text}
          {name === 'requests' && open?.count !== undefined && open.count > 0 && (
            <span class="count">{open.count}</span>
          )}
        </a>
      ))}
      end={actions}
    />
  )
}
