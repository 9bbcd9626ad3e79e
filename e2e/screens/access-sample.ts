// Adds a learner to the demo for the screenshots: with a cohort, and with products that can be redeemed now, later, or
// not any more.
import { addMembers, createCohort, createGrants, listProducts, saveUser } from '@portal/contract';
import { callApi } from '../harness/api.ts';
import { DEMO_ADMIN, type Demo } from '../harness/demo.ts';
import { dayIn } from '../harness/states.ts';

export const JONAS = 'jonas.lindqvist@example.org';
/** An address that nobody has. It resembles two addresses of the demo, of which `JONAS` is one. */
export const UNKNOWN = 'jonas.lindqvist@mail.example';

export async function addAccessSample(demo: Demo): Promise<void> {
  const { access_token: token } = await demo.signIn(DEMO_ADMIN);
  const products = await callApi(demo.url, listProducts, { token });
  const idOf = (name: string) => products.find((product) => product.name === name)?.product_id ?? '';
  for (const email of [JONAS, 'jonas.lindqvist+ai@example.org']) {
    const body = {
      email,
      name: 'Jonas Lindqvist',
      phone_number: null,
      product_ids: [idOf('Quarrystone Boards')],
    };
    await callApi(demo.url, saveUser, { token, body });
  }
  const cohort = async (name: string, product: string, days: { starts_on: string; ends_on: string }) => {
    const body = { name, note: null, product_ids: [idOf(product)], ...days };
    const { cohort_id: id } = await callApi(demo.url, createCohort, { token, body });
    await callApi(demo.url, addMembers, { token, params: { id }, body: { emails: [JONAS] } });
  };
  await cohort('Welcome week', 'Hexwell Analytics', { starts_on: dayIn(-20), ends_on: dayIn(120) });
  await cohort('Last year', 'Ostrava Notes', { starts_on: dayIn(-200), ends_on: dayIn(-30) });
  const give = (product: string, days: object) =>
    callApi(demo.url, createGrants, {
      token,
      body: { email: JONAS, product_ids: [idOf(product)], ...days },
    });
  await give('Hexwell Analytics', { starts_on: dayIn(-90), ends_on: dayIn(-50) });
  await give('Fernhall Maps', {});
  await give('Saltmarsh Data', { starts_on: dayIn(14), ends_on: dayIn(200) });
}
