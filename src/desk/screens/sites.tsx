/** The sites of an organization, and the form of a new one. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { CheckField, FormError, Submit, TextField, useForm } from '../admin/form.js'
import { AddButton, Filter, ListEnd, parameter, usePages } from '../admin/lists.js'
import { useSpaces } from '../admin/names.js'
import { type Organization, OrganizationFrame } from '../admin/organization.js'
import { VisibilityField } from '../admin/site-visibility.js'
import { adminWords } from '../admin/words.js'
import { open } from '../route.js'
import { Dialog } from '../shell/dialog.js'
import { Icon } from '../shell/icons.js'
import { Chip, Empty, Show } from '../shell/notes.js'
import { plural } from '../words/index.js'

type Site = Schemas['Site']

export function Sites({ org = '' }: { org?: string }) {
  const w = adminWords().sites
  const [isAdding, setAdding] = useState(parameter('new') !== '')
  return (
    <OrganizationFrame
      id={org}
      part="sites"
      end={({ permissions }) => permissions.createContent && <AddButton text={w.add} onClick={() => setAdding(true)} />}
      tools={<Filter label={w.find} placeholder={w.find} />}
    >
      {(organization) => (
        <>
          <List organization={organization} />
          {isAdding && <NewSite organization={organization} onClose={() => setAdding(false)} />}
        </>
      )}
    </OrganizationFrame>
  )
}

/** The badge that shows whether a site is published. */
export function SiteChip({ site }: { site: Site }) {
  const w = adminWords().sites
  return site.published ? (
    <Chip tone="good" icon="check">
      {w.published}
    </Chip>
  ) : (
    <Chip tone="wait" icon="edit">
      {w.notPublished}
    </Chip>
  )
}

function List({ organization }: { organization: Organization }) {
  const w = adminWords().sites
  const title = parameter('q')
  const list = usePages<Site>(`orgs/${organization.id}/sites?${title}`, (query) =>
    body(
      api.GET('/v1/orgs/{organizationId}/sites', {
        params: {
          path: { organizationId: organization.id },
          query: { ...query, ...(title === '' ? {} : { title }) },
        },
      }),
    ),
  )
  return (
    <Show data={list.data} retry={() => void list.again()}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="globe" title={w.noneTitle}>
            {w.none}
          </Empty>
        ) : (
          <>
            <ul class="list t panel">
              {items.map((site) => (
                <li key={site.id}>
                  <Icon name="globe" />
                  <div class="grow">
                    <a class="t" href={`/sites/${site.id}/structure`}>
                      {site.title}
                    </a>
                    <div class="d">
                      {plural(w.spaces, site.siteSpaces)} · {w.visibilities[site.visibility].name}
                      {site.urls.published !== undefined && ` · ${site.urls.published.replace(/^https?:\/\//, '')}`}
                    </div>
                  </div>
                  {site.waitingSuggestions !== undefined && (
                    <a class="btn small" href={`/sites/${site.id}/suggestions`}>
                      {plural(w.waiting, site.waitingSuggestions)}
                    </a>
                  )}
                  <SiteChip site={site} />
                </li>
              ))}
            </ul>
            <ListEnd of={list} />
          </>
        )
      }
    </Show>
  )
}

function NewSite({ organization, onClose }: { organization: Organization; onClose: () => void }) {
  const w = adminWords().sites
  const spaces = useSpaces(organization.id) ?? []
  const [title, setTitle] = useState('')
  const [visibility, setVisibility] = useState<Site['visibility']>('public')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const form = useForm(async () => {
    const site = await body(
      api.POST('/v1/orgs/{organizationId}/sites', {
        params: { path: { organizationId: organization.id } },
        body: { type: 'basic', title, visibility, spaces: chosen.length > 0 ? [...chosen] : 'empty' },
      }),
    )
    await reload(`orgs/${organization.id}/sites`)
    open(`/sites/${site.id}/structure`)
  })
  return (
    <Dialog title={w.add} onClose={onClose}>
      <div>
        <form class="stack" onSubmit={form.submit}>
          <TextField label={w.name} error={form.error('title')} value={title} onInput={setTitle} required />
          <fieldset class="stack s">
            <legend class="lab">{w.withSpaces}</legend>
            {spaces.map((space) => (
              <CheckField
                key={space.id}
                checked={chosen.includes(space.id)}
                onChange={(isOn) => setChosen(isOn ? [...chosen, space.id] : chosen.filter((one) => one !== space.id))}
              >
                {space.title}
              </CheckField>
            ))}
            {form.error('spaces') !== undefined && <p class="help bad">{form.error('spaces')}</p>}
          </fieldset>
          <VisibilityField value={visibility} onChange={setVisibility} error={form.error('visibility')} />
          <p class="sm muted">{w.notYet}</p>
          <FormError form={form} />
          <div class="row">
            <Submit form={form}>{w.create}</Submit>
          </div>
        </form>
      </div>
    </Dialog>
  )
}
