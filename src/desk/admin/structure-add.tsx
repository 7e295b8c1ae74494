/** Adds a part to a site: a section, a variant of one, a group, or a link in a group. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { Dialog } from '../shell/dialog.js'
import { CheckField, ChoiceField, FormError, Submit, TextField, useForm } from './form.js'
import { useSpaces } from './names.js'
import { reloadSite, type Site, sitePath } from './site.js'
import { type Row, titleOf } from './structure.js'
import { adminWords } from './words.js'

const KINDS = ['section', 'variant', 'group', 'link'] as const
type Kind = (typeof KINDS)[number]

export function AddPart({
  site,
  rows,
  structure,
  onClose,
}: {
  site: Site
  rows: readonly Row[]
  structure: Schemas['SiteStructure']
  onClose: () => void
}) {
  const w = adminWords().structure
  const spaces = useSpaces(site.organization) ?? []
  const sections = rows.filter(({ type }) => type === 'site-section')
  const groups = rows.filter(({ type }) => type === 'site-section-group')
  const hasSections = structure.type === 'sections' && sections.length > 0
  const offered = KINDS.filter(
    (kind) =>
      kind === 'section' ||
      (kind === 'variant' && rows.length > 0) ||
      (kind === 'group' && hasSections) ||
      (kind === 'link' && groups.length > 0),
  )
  const [kind, setKind] = useState<Kind>('section')
  const [space, setSpace] = useState('')
  const [section, setSection] = useState(sections[0]?.id ?? '')
  const [group, setGroup] = useState(groups[0]?.id ?? '')
  const [title, setTitle] = useState('')
  const [target, setTarget] = useState('')
  const [draft, setDraft] = useState(false)
  const params = { path: sitePath(site) }
  const send = async (): Promise<unknown> => {
    if (kind === 'group')
      return body(
        api.POST('/v1/orgs/{organizationId}/sites/{siteId}/section-groups', {
          params,
          body: { title, draft },
        }),
      )
    if (kind === 'link')
      return body(
        api.POST('/v1/orgs/{organizationId}/sites/{siteId}/external-links', {
          params,
          body: { title, target, sectionGroup: group },
        }),
      )
    if (kind === 'variant')
      return body(
        api.POST('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
          params,
          body: { spaceId: space, draft, ...(hasSections ? { sectionId: section } : {}) },
        }),
      )
    return body(
      api.POST('/v1/orgs/{organizationId}/sites/{siteId}/sections', {
        params,
        body: { spaceId: space, draft, ...(title === '' ? {} : { title }) },
      }),
    )
  }
  const form = useForm(async () => {
    await send()
    await reloadSite(site)
    onClose()
  })
  const needsSpace = kind === 'section' || kind === 'variant'
  return (
    <Dialog title={w.add} onClose={onClose}>
      <div>
        <form class="stack" onSubmit={form.submit}>
          <fieldset class="stack s">
            <legend class="lab">{w.what}</legend>
            {offered.map((one) => (
              <CheckField key={one} type="radio" name="kind" checked={kind === one} onChange={() => setKind(one)}>
                {w.kinds[one].name} <span class="muted">{w.kinds[one].means}</span>
              </CheckField>
            ))}
          </fieldset>
          {needsSpace && (
            <ChoiceField
              label={w.spaceField}
              error={form.error('spaceId')}
              value={space}
              of={[['', w.chooseSpace], ...spaces.map((one) => [one.id, one.title] as const)]}
              onChange={setSpace}
            />
          )}
          {kind === 'variant' && hasSections && (
            <ChoiceField
              label={w.ofSection}
              error={form.error('sectionId')}
              value={section}
              of={sections.map((row) => [row.id, titleOf(row)] as const)}
              onChange={setSection}
            />
          )}
          {kind === 'link' && (
            <ChoiceField
              label={w.inGroup}
              error={form.error('sectionGroup')}
              value={group}
              of={groups.map((row) => [row.id, titleOf(row)] as const)}
              onChange={setGroup}
            />
          )}
          {kind !== 'variant' && (
            <TextField
              label={w.titleField}
              help={kind === 'section' ? w.titleHelp : undefined}
              error={form.error('title')}
              value={title}
              onInput={setTitle}
              required={kind !== 'section'}
            />
          )}
          {kind === 'link' && (
            <TextField
              label={w.target}
              error={form.error('target')}
              value={target}
              onInput={setTarget}
              mono
              required
              placeholder="https://"
            />
          )}
          {kind !== 'link' && (
            <CheckField checked={draft} onChange={setDraft}>
              {w.draftSwitch}
            </CheckField>
          )}
          <FormError form={form} />
          <div class="row">
            <Submit form={form}>{w.add}</Submit>
          </div>
        </form>
      </div>
    </Dialog>
  )
}
