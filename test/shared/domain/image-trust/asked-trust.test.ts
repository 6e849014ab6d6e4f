import { expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { trustKnown } from '#shared/domain/image-trust/asked-trust.ts';
import { modeLabel } from '#shared/domain/image-trust/label-keys.ts';

const trusting = (strictMode: boolean) =>
  settingsFixed({ imageTrust: { admission: { strictMode } } }).current().imageTrust;
const labelled = (mode: string) => ({
  ...{ name: 'shop', uid: 'u1', annotations: {} },
  labels: { [modeLabel]: mode },
});
const asked = (found: ReturnType<typeof labelled>, settings: ReturnType<typeof trusting>) =>
  trustKnown({ find: async () => found }, 'shop', settings);

it("makes a namespace's trust once, and anew when it or the settings are others", async () => {
  const [strict, lenient] = [trusting(true), trusting(false)];
  const shop = labelled('system');

  const first = await asked(shop, strict);
  expect(await asked(shop, strict)).toBe(first);
  expect(await asked(shop, lenient)).toMatchObject({ kind: 'rules', isStrict: false });
  expect(await asked(shop, strict)).toMatchObject({ kind: 'rules', isStrict: true });
  expect(await asked(labelled('none'), strict)).toEqual({ kind: 'off' });
});
