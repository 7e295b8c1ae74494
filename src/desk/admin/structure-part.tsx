/** The settings of a part of a site: its title, its path, whether visitors see it, and the way out. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { setQuery } from '../route.js'
import { Switch } from '../shell/fields.js'
import { Icon } from '../shell/icons.js'
import { attempt, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'
import { FormError, Submit, TextField, useForm } from './form.js'
import { useQuestion } from './question.js'
import { reloadSite, type Site, sitePath } from './site.js'
import { type Row, titleOf } from './structure.js'
import { adminWords } from './words.js'

/** The fields that a part may have. */
type Changes = { title?: string; path?: string; target?: string; condition?: string | null; draft?: boolean }

/** The request that changes, or removes, a part of any kind. */
function requestsFor(site: Site, { type, id }: Row) {
  const path = sitePath(site)
  const base = '/v1/orgs/{organizationId}/sites/{siteId}'
  switch (type) {
    case 'site-section':
      return { url: `${base}/sections/{siteSectionId}`, path: { ...path, siteSectionId: id } } as const
    case 'site-section-group':
      return { url: `${base}/section-groups/{siteSectionGroupId}`, path: { ...path, siteSectionGroupId: id } } as const
    case 'site-external-link':
      return { url: `${base}/external-links/{siteExternalLinkId}`, path: { ...path, siteExternalLinkId: id } } as const
    case 'site-space':
      return { url: `${base}/site-spaces/{siteSpaceId}`, path: { ...path, siteSpaceId: id } } as const
  }
}

async function change(site: Site, row: Row, changes: Changes): Promise<void> {
  const { url, path } = requestsFor(site, row)
  await body(api.PATCH(url as never, { params: { path }, body: changes } as never))
  await Promise.all([reload(`sites/${site.id}/structure`), reloadSite(site)])
}

async function remove(site: Site, row: Row): Promise<void> {
  const { url, path } = requestsFor(site, row)
  await body(api.DELETE(url as never, { params: { path } } as never))
  setQuery({ part: null })
  await reload(`sites/${site.id}`)
}

/** Makes a part the one that visitors come to first. */
async function makeDefault(site: Site, row: Row): Promise<void> {
  const params = { path: sitePath(site) }
  if (row.type === 'site-space' && row.section) {
    await body(
      api.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}', {
        params: { path: { ...params.path, siteSectionId: row.section.id } },
        body: { defaultSiteSpace: row.id },
      }),
    )
  } else {
    const changes: Partial<Schemas['UpdateSite']> =
      row.type === 'site-space' ? { defaultSiteSpace: row.id } : { defaultSiteSection: row.id }
    await body(api.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', { params, body: changes as never }))
  }
  await reload(`sites/${site.id}`)
}

/** Draws the settings. */
export function PartSettings({ site, row }: { site: Site; row: Row }) {
  const w = adminWords().structure
  const { part } = row
  const [title, setTitle] = useState(part.title)
  const [path, setPath] = useState('path' in part ? part.path : '')
  const [target, setTarget] = useState('target' in part ? part.target : '')
  const [condition, setCondition] = useState('condition' in part ? (part.condition ?? '') : '')
  const [ask, question] = useQuestion()
  // The title of a variant is that of its space.
  const hasTitle = row.type !== 'site-space'
  const hasPath = row.type === 'site-section' || row.type === 'site-space'
  const form = useForm(async () => {
    await change(site, row, {
      ...(hasTitle ? { title } : {}),
      ...(hasPath ? { path, condition: condition === '' ? null : condition } : {}),
      ...(row.type === 'site-external-link' ? { target } : {}),
    })
    toast(w.partSaved)
  })
  const space =
    part.object === 'site-space' ? part.space : part.object === 'site-section' ? part.siteSpaces[0]?.space : null
  const address = site.urls.published?.replace(/^https?:\/\//, '') ?? site.title
  return (
    <form class="stack" onSubmit={form.submit}>
      <div class="row">
        <h2 class="h grow">{titleOf(row)}</h2>
        <button type="button" class="icb s" aria-label={w.closeSettings} onClick={() => setQuery({ part: null })}>
          <Icon name="x" />
        </button>
      </div>
      {hasTitle && (
        <TextField label={w.titleField} error={form.error('title')} value={title} onInput={setTitle} required />
      )}
      {hasPath && (
        <TextField
          label={w.path}
          help={fill(w.pathHelp, { address, path })}
          error={form.error('path')}
          value={path}
          onInput={setPath}
          mono
          required
        />
      )}
      {row.type === 'site-external-link' && (
        <TextField label={w.target} error={form.error('target')} value={target} onInput={setTarget} mono required />
      )}
      {hasPath && (
        <TextField
          label={w.condition}
          help={w.conditionHelp}
          error={form.error('condition')}
          value={condition}
          onInput={setCondition}
          mono
          placeholder="visitor.claims.beta"
        />
      )}
      {space && (
        <p class="sm">
          {w.space} <a href={`/s/${space.id}`}>{space.title}</a>
        </p>
      )}
      <FormError form={form} />
      <div class="row wrap">
        <Submit form={form} small>
          {w.save}
        </Submit>
        {!row.isDefault && (row.type === 'site-section' || row.type === 'site-space') && (
          <button type="button" class="btn small" onClick={() => attempt(() => makeDefault(site, row))}>
            <Icon name="star" />
            {w.makeStart}
          </button>
        )}
      </div>
      {'draft' in part && (
        <Switch checked={part.draft} onChange={(draft) => attempt(() => change(site, row, { draft }))}>
          {w.draftSwitch}
        </Switch>
      )}
      <button
        type="button"
        class="btn small danger"
        onClick={() =>
          ask({
            title: fill(w.removeTitle, { title: titleOf(row) }),
            text: row.type === 'site-section-group' ? w.removeGroup : w.removeText,
            button: w.remove,
            run: () => remove(site, row),
          })
        }
      >
        {w.remove}
      </button>
      <p class="help">{w.removeHelp}</p>
      {question}
    </form>
  )
}
