/** The frame of the organization settings: breadcrumbs, navigation and page. */
import type { ComponentChildren } from 'preact'
import { api, body } from '../api/client.js'
import { type Loaded, useData } from '../api/data.js'
import { Frame, Ribbon } from '../shell/frame.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Show } from '../shell/notes.js'
import { fill } from '../words/index.js'
import { type AdminWords, adminWords } from './words.js'

const loadOrganization = (organizationId: string) =>
  body(api.GET('/v1/orgs/{organizationId}', { params: { path: { organizationId } } }))

export type Organization = Awaited<ReturnType<typeof loadOrganization>>

/** Reads an organization. */
export const useOrganization = (id: string): Loaded<Organization> =>
  useData(`organization/${id}`, () => loadOrganization(id))

type Part = keyof AdminWords['organization']['parts']
type Group = keyof AdminWords['organization']['groups']

/** The pages by group, each with the permission that it needs. */
const PARTS: readonly (readonly [Group, readonly (readonly [Part, IconName, keyof Organization['permissions']])[]])[] =
  [
    [
      'people',
      [
        ['members', 'users', 'listMembers'],
        ['invitations', 'mail', 'admin'],
        ['teams', 'users', 'listTeams'],
        ['sso', 'shield', 'admin'],
      ],
    ],
    [
      'content',
      [
        ['general', 'gear', 'admin'],
        ['collections', 'book', 'view'],
        ['sites', 'globe', 'view'],
        ['merge-rules', 'merge', 'admin'],
        ['connections', 'sync', 'view'],
        ['openapi', 'code', 'access'],
        ['translations', 'lang', 'access'],
        ['trash', 'trash', 'view'],
      ],
    ],
    [
      'access',
      [
        ['tokens', 'key', 'admin'],
        ['webhooks', 'hook', 'admin'],
        ['audit', 'list', 'admin'],
      ],
    ],
  ]

function Navigation({ organization, current }: { organization: Organization; current: Part }) {
  const w = adminWords().organization
  return (
    <nav class="tree" aria-label={w.settings}>
      {PARTS.map(([group, parts]) => {
        const offered = parts.filter(([, , permission]) => organization.permissions[permission])
        return (
          offered.length > 0 && (
            <div key={group}>
              <div class="nav-h" id={`nav-${group}`}>
                {w.groups[group]}
              </div>
              <ul class="t" aria-labelledby={`nav-${group}`}>
                {offered.map(([part, icon]) => (
                  <li key={part}>
                    <a
                      href={`/o/${organization.id}/settings/${part}`}
                      aria-current={part === current ? 'page' : undefined}
                    >
                      <Icon name={icon} />
                      <span>{w.parts[part]}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          )
        )
      })}
    </nav>
  )
}

/** Renders a page of the settings of an organization. */
export function OrganizationFrame({
  id,
  part,
  end,
  tools,
  children,
}: {
  id: string
  part: Part
  /** The main action of the page. */
  end?: (organization: Organization) => ComponentChildren
  /** Next to the heading: filters. */
  tools?: ComponentChildren
  children: (organization: Organization) => ComponentChildren
}) {
  const w = adminWords().organization
  const found = useOrganization(id)
  const organization = found.value
  const title = organization?.title ?? w.settings
  const action = organization && end?.(organization)
  return (
    <Frame
      title={fill(w.screen, { part: w.parts[part], organization: title })}
      crumbs={[
        { title, href: `/o/${id}` },
        { title: w.parts[part], href: `/o/${id}/settings/${part}` },
      ]}
      ribbon={
        <Ribbon
          head={
            <>
              <span class="emoji" aria-hidden="true">
                {[...title][0]}
              </span>
              <span class="r-title">{title}</span>
              <span class="r-sub">{w.settings}</span>
            </>
          }
          {...(action ? { end: action } : {})}
        />
      }
      hasDock={Boolean(action)}
      side={organization ? <Navigation organization={organization} current={part} /> : <span />}
    >
      <div class="wide stack">
        <div class="row wrap">
          <h1 class="title grow">{w.parts[part]}</h1>
          {tools}
        </div>
        <Show data={found}>{children}</Show>
      </div>
    </Frame>
  )
}
