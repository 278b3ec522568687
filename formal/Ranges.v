(** Ranges of a formula over a box, by the verified interval arithmetic of CoqInterval. *)
From Coq Require Import Reals ZArith List Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Real.Xreal Interval.Interval Interval.Float Interval.Float_full.
From Interval Require Import Float.Basic Float.Sig.
From Flocq Require Zaux.
From CPC Require Import Language.
Import ListNotations.
Open Scope R_scope.

(** For any floating-point numbers of CoqInterval. *)
Module Ranges (F : FloatOps with Definition radix := Zaux.radix2 with Definition sensible_format := true).

Module I := FloatIntervalFull F.

Definition inside (i : I.type) (x : R) : Prop := contains (I.convert i) (Xreal x).

(** [None]: the formula is defined nowhere on the box. *)
Definition holds (i : option I.type) (x : R) : Prop :=
  match i with Some j => inside j x | None => False end.

Lemma between : forall i a b x, inside i a -> inside i b -> Rmin a b <= x <= Rmax a b -> inside i x.
Proof.
  intros i a b x A B H. unfold inside in *.
  destruct (Rle_dec a b) as [L | L].
  - rewrite Rmin_left, Rmax_right in H by lra. exact (contains_connected _ a b A B x H).
  - rewrite Rmin_right, Rmax_left in H by lra. exact (contains_connected _ b a B A x H).
Qed.

Section Precision.
Variable p : F.precision.

(** Numbers n / 2^k of at least 1/256 in size are exact, where n is: halved k times. Others are quotients. *)
Fixpoint halves (d : positive) (f : F.type) : option F.type :=
  match d with xH => Some f | xO d' => halves d' (F.div2 f) | xI _ => None end.
Definition whole_number (n : Z) : option F.type :=
  let i := I.fromZ p n in
  if (I.bounded i && I.subset (I.singleton (I.upper i)) (I.lower_extent (I.singleton (I.lower i))))%bool
  then Some (I.lower i) else None.
Definition dyadic (n : Z) (d : positive) : option F.type :=
  if Z.leb (Zpos d) (256 * Z.abs n) then match whole_number n with Some f => halves d f | None => None end else None.
Definition exactly (q : rational) : option F.type :=
  match q with (n, 1%positive) => whole_number n | (n, d) => dyadic n d end.
Definition number (q : rational) : I.type :=
  match q with
  | (n, 1%positive) => I.fromZ p n
  | (n, d) => match dyadic n d with
              | Some f => I.singleton f
              | None => I.div p (I.fromZ p n) (I.fromZ p (Zpos d))
              end
  end.

Lemma inside_div : forall i j x y, inside i x -> inside j y -> y <> 0 -> inside (I.div p i j) (x / y).
Proof.
  intros i j x y A B N. pose proof (I.div_correct p _ _ _ _ A B) as H. unfold inside.
  cbn in H. unfold Xdiv' in H. destruct (is_zero_spec y); [contradiction | exact H].
Qed.

Lemma halves_correct : forall d f g x, halves d f = Some g -> F.toX f = Xreal x -> IZR (Zpos d) <= 256 * Rabs x ->
  F.toX g = Xreal (x / IZR (Zpos d)).
Proof.
  intros d. induction d as [d R | d R |]; intros f g x H X L; cbn [halves] in H; try discriminate.
  - rewrite (Pos2Z.inj_xO d), mult_IZR in L. assert (1 <= IZR (Zpos d)) by (apply IZR_le; lia).
    rewrite (R _ _ (x / 2) H).
    + rewrite (Pos2Z.inj_xO d), mult_IZR. unfold Rdiv. rewrite Rinv_mult, Rmult_assoc. reflexivity.
    + rewrite F.div2_correct; [| reflexivity | unfold F.toR; rewrite X; cbn; lra].
      rewrite X. cbn. unfold Xdiv'. destruct (is_zero_spec 2); [lra | reflexivity].
    + unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ 2)) by lra. lra.
  - injection H as <-. rewrite X. f_equal. unfold Rdiv. rewrite Rinv_1, Rmult_1_r. reflexivity.
Qed.

Lemma single_ends : forall f r, F.toX f = Xreal r -> I.F.valid_lb f = true /\ I.F.valid_ub f = true.
Proof.
  intros f r X. change (F.valid_lb f = true /\ F.valid_ub f = true). rewrite F.valid_lb_correct, F.valid_ub_correct.
  pose proof (F.real_correct f) as R. pose proof (F.classify_correct f) as C. rewrite R, X in C.
  destruct (F.classify f); try discriminate. split; reflexivity.
Qed.

Lemma under_end : forall f r x, F.toX f = Xreal r -> inside (I.lower_extent (I.singleton f)) x -> x <= r.
Proof.
  intros f r x X A. destruct (single_ends _ _ X) as [V W]. unfold inside, I.singleton in A. rewrite V, W in A.
  cbn [andb I.lower_extent I.convert] in A. rewrite I.valid_lb_nan, W, I.F'.nan_correct in A. cbn [andb] in A.
  change I.F.toX with F.toX in A. rewrite X in A. cbn in A. tauto.
Qed.

Lemma above_end : forall f r x, F.toX f = Xreal r -> inside (I.upper_extent (I.singleton f)) x -> r <= x.
Proof.
  intros f r x X A. destruct (single_ends _ _ X) as [V W]. unfold inside, I.singleton in A. rewrite V, W in A.
  cbn [andb I.upper_extent I.convert] in A. rewrite I.valid_ub_nan, V, I.F'.nan_correct in A. cbn [andb] in A.
  change I.F.toX with F.toX in A. rewrite X in A. cbn in A. tauto.
Qed.

Lemma whole_number_correct : forall n f, whole_number n = Some f -> F.toX f = Xreal (IZR n).
Proof.
  intros n f H. unfold whole_number in H. destruct (_ && _)%bool eqn:B in H; [| discriminate]. injection H as <-.
  apply andb_prop in B. destruct B as [B S]. destruct (I.bounded_correct _ B) as [L U].
  destruct (I.lower_bounded_correct _ L) as [L1 L2]. destruct (I.upper_bounded_correct _ U) as [U1 U2].
  pose proof (I.fromZ_correct p n) as C. rewrite (L2 (ex_intro _ (IZR n) C)), L1, U1 in C.
  pose proof (under_end _ _ _ L1 (I.subset_correct _ _ _ (I.singleton_correct _) S)) as D.
  unfold I.convert_bound in D. refine (eq_trans L1 (f_equal Xreal _)).
  change I.F.toX with F.toX in *; cbn in *. lra.
Qed.

Lemma dyadic_exact : forall n d f, dyadic n d = Some f -> F.toX f = Xreal (IZR n / IZR (Zpos d)).
Proof.
  intros n d f H. unfold dyadic in H. destruct (Z.leb_spec (Zpos d) (256 * Z.abs n)) as [L |]; [| discriminate].
  destruct (whole_number n) as [w |] eqn:W; [| discriminate].
  pose proof (whole_number_correct _ _ W) as X. apply IZR_le in L. rewrite mult_IZR, abs_IZR in L.
  exact (halves_correct _ _ _ _ H X L).
Qed.

Lemma exactly_correct : forall q f, exactly q = Some f -> F.toX f = Xreal (real_of q).
Proof.
  intros [n d] f H. unfold exactly, real_of in *.
  destruct d; try exact (dyadic_exact _ _ _ H). exact (whole_number_correct _ _ H).
Qed.

Lemma dyadic_correct : forall n d f, dyadic n d = Some f -> inside (I.singleton f) (IZR n / IZR (Zpos d)).
Proof.
  intros n d f H. pose proof (dyadic_exact _ _ _ H) as G. pose proof (I.singleton_correct f) as S.
  change I.convert_bound with F.toX in S. rewrite G in S. exact S.
Qed.

Lemma number_correct : forall q, inside (number q) (real_of q).
Proof.
  intros [n d]. unfold number, real_of.
  destruct d as [d | d |]; try (apply I.fromZ_correct);
    destruct (dyadic n _) eqn:Y; try (exact (dyadic_correct _ _ _ Y));
    (apply inside_div; [apply I.fromZ_correct | apply I.fromZ_correct | apply IZR_neq; discriminate]).
Qed.

Definition nonneg : I.type := I.upper_extent I.zero.
Definition unit : I.type := I.fromZ p 1.

Lemma zero_inside : inside I.zero 0.
Proof. unfold inside. rewrite I.zero_correct. cbn. lra. Qed.

Lemma nonneg_correct : forall x, 0 <= x -> inside nonneg x.
Proof. intros x H. exact (I.upper_extent_correct _ _ _ zero_inside H). Qed.

Lemma unit_correct : inside unit 1.
Proof. apply I.fromZ_correct. Qed.

(** What the sign of an interval says. *)
Definition positive_on (i : I.type) : bool := match I.sign_strict i with Xgt => true | _ => false end.
Definition negative_on (i : I.type) : bool := match I.sign_strict i with Xlt => true | _ => false end.
Definition nonneg_on (i : I.type) : bool := match I.sign_large i with Xgt | Xeq => true | _ => false end.
Definition nonpos_on (i : I.type) : bool := match I.sign_large i with Xlt | Xeq => true | _ => false end.

Lemma positive_on_correct : forall i x, positive_on i = true -> inside i x -> 0 < x.
Proof.
  intros i x H A. unfold positive_on in H. pose proof (I.sign_strict_correct i) as S.
  destruct (I.sign_strict i); try discriminate. exact (proj2 (S _ A)).
Qed.
Lemma negative_on_correct : forall i x, negative_on i = true -> inside i x -> x < 0.
Proof.
  intros i x H A. unfold negative_on in H. pose proof (I.sign_strict_correct i) as S.
  destruct (I.sign_strict i); try discriminate. exact (proj2 (S _ A)).
Qed.
Lemma nonneg_on_correct : forall i x, nonneg_on i = true -> inside i x -> 0 <= x.
Proof.
  intros i x H A. unfold nonneg_on in H. pose proof (I.sign_large_correct i) as S.
  destruct (I.sign_large i); try discriminate; specialize (S _ A).
  - injection S as ->. lra.
  - exact (proj2 S).
Qed.
Lemma nonpos_on_correct : forall i x, nonpos_on i = true -> inside i x -> x <= 0.
Proof.
  intros i x H A. unfold nonpos_on in H. pose proof (I.sign_large_correct i) as S.
  destruct (I.sign_large i); try discriminate; specialize (S _ A).
  - injection S as ->. lra.
  - exact (proj2 S).
Qed.

(** Operations with a domain: the operand is cut off at its edge first. *)
Definition range_sqrt (i : I.type) : option I.type :=
  if negative_on i then None else Some (I.sqrt p (I.meet i nonneg)).

Lemma range_sqrt_correct : forall i x, inside i x -> 0 <= x -> holds (range_sqrt i) (sqrt x).
Proof.
  intros i x A D. unfold range_sqrt. destruct (negative_on i) eqn:N.
  - pose proof (negative_on_correct _ _ N A). lra.
  - assert (M : inside (I.meet i nonneg) x) by (apply I.meet_correct; [exact A | exact (nonneg_correct _ D)]).
    pose proof (I.sqrt_correct p _ _ M) as H. cbn in *. unfold Xsqrt' in H. unfold inside.
    destruct (is_negative_spec x); [lra | exact H].
Qed.

Lemma inside_ln : forall i x, inside i x -> 0 < x -> inside (I.ln p i) (ln x).
Proof.
  intros i x A D. pose proof (I.ln_correct p _ _ A) as H. unfold inside. cbn in H. unfold Xln' in H.
  destruct (is_positive_spec x); [exact H | lra].
Qed.

(** All of ln where the operand is positive; else what lies below its value at the upper end. *)
Definition point (f : F.type) : I.type := I.singleton f.
Definition below_ln (i : I.type) : I.type :=
  if I.upper_bounded i then I.lower_extent (I.ln p (point (I.upper i))) else I.whole.
Definition range_ln (i : I.type) : option I.type :=
  if nonpos_on i then None else Some (if positive_on i then I.ln p i else below_ln i).

Lemma upper_above : forall i x, inside i x -> I.upper_bounded i = true ->
  exists u, inside (point (I.upper i)) u /\ x <= u.
Proof.
  intros i x A B. destruct (I.upper_bounded_correct _ B) as [U P].
  exists (proj_val (F.toX (I.upper i))). split; [apply I.singleton_correct |].
  unfold inside in A. rewrite (P (ex_intro _ x A)), U in A. cbn in A. tauto.
Qed.

Lemma lower_under : forall i x, inside i x -> I.lower_bounded i = true ->
  exists l, inside (point (I.lower i)) l /\ l <= x.
Proof.
  intros i x A B. destruct (I.lower_bounded_correct _ B) as [U P].
  exists (proj_val (F.toX (I.lower i))). split; [apply I.singleton_correct |].
  unfold inside in A. rewrite (P (ex_intro _ x A)), U in A. cbn in A. tauto.
Qed.

Lemma ln_le : forall x y, 0 < x -> x <= y -> ln x <= ln y.
Proof. intros x y A B. destruct (Rle_lt_or_eq_dec _ _ B) as [L | ->]; [left; apply ln_increasing; assumption | lra]. Qed.

Lemma below_ln_correct : forall i x, inside i x -> 0 < x -> inside (below_ln i) (ln x).
Proof.
  intros i x A D. unfold below_ln. destruct (I.upper_bounded i) eqn:B; [| apply I.whole_correct].
  destruct (upper_above _ _ A B) as [u [U L]].
  apply (I.lower_extent_correct _ _ (ln u)); [apply inside_ln; [exact U | lra] | apply ln_le; lra].
Qed.

Lemma range_ln_correct : forall i x, inside i x -> 0 < x -> holds (range_ln i) (ln x).
Proof.
  intros i x A D. unfold range_ln. destruct (nonpos_on i) eqn:N.
  - pose proof (nonpos_on_correct _ _ N A). lra.
  - cbn. destruct (positive_on i); [apply inside_ln | apply below_ln_correct]; assumption.
Qed.

Lemma inside_exp : forall i x, inside i x -> inside (I.exp p i) (exp x).
Proof. intros i x A. exact (I.exp_correct p _ _ A). Qed.
Lemma inside_add : forall i j x y, inside i x -> inside j y -> inside (I.add p i j) (x + y).
Proof. intros. exact (I.add_correct p _ _ _ _ H H0). Qed.
Lemma inside_sub : forall i j x y, inside i x -> inside j y -> inside (I.sub p i j) (x - y).
Proof. intros. exact (I.sub_correct p _ _ _ _ H H0). Qed.
Lemma inside_mul : forall i j x y, inside i x -> inside j y -> inside (I.mul p i j) (x * y).
Proof. intros. exact (I.mul_correct p _ _ _ _ H H0). Qed.
Lemma inside_neg : forall i x, inside i x -> inside (I.neg i) (- x).
Proof. intros. exact (I.neg_correct _ _ H). Qed.
Lemma inside_abs : forall i x, inside i x -> inside (I.abs i) (Rabs x).
Proof. intros. exact (I.abs_correct _ _ H). Qed.
Lemma inside_join_l : forall i j x, inside i x -> inside (I.join i j) x.
Proof. intros. apply I.join_correct. left. exact H. Qed.
Lemma inside_join_r : forall i j x, inside j x -> inside (I.join i j) x.
Proof. intros. apply I.join_correct. right. exact H. Qed.

(** Powers: exp(b ln(a)) for a positive base, and 0 or 1 for the base 0. *)
Definition positive_power (a b : I.type) : I.type :=
  I.meet nonneg (I.exp p (I.mul p b (if positive_on a then I.ln p a else below_ln a))).
Definition zero_power (b : I.type) : I.type := if positive_on b then I.zero else I.join I.zero unit.
Definition range_power (a b : I.type) : option I.type :=
  if negative_on a then None
  else if (positive_on a || negative_on b)%bool then Some (positive_power a b)
  else if nonpos_on a then Some (zero_power b)
  else Some (I.join (zero_power b) (positive_power a b)).

Lemma positive_power_correct : forall a b x y, inside a x -> inside b y -> 0 < x ->
  inside (positive_power a b) (Rpower x y).
Proof.
  intros a b x y A B D. unfold positive_power, Rpower. apply I.meet_correct.
  - apply nonneg_correct. left. apply exp_pos.
  - apply inside_exp, inside_mul; [exact B |].
    destruct (positive_on a); [apply inside_ln | apply below_ln_correct]; assumption.
Qed.

Lemma power_positive : forall x y, 0 < x -> power x y = Rpower x y.
Proof. intros x y D. unfold power. destruct (Req_EM_T x 0); [lra | reflexivity]. Qed.

Lemma zero_power_correct : forall b y, inside b y -> inside (zero_power b) (power 0 y).
Proof.
  intros b y B. unfold zero_power, power. destruct (Req_EM_T 0 0); [| contradiction].
  destruct (positive_on b) eqn:P.
  - pose proof (positive_on_correct _ _ P B). destruct (Req_EM_T y 0); [lra | exact zero_inside].
  - destruct (Req_EM_T y 0); [apply inside_join_r, unit_correct | apply inside_join_l, zero_inside].
Qed.

Lemma range_power_correct : forall a b x y, inside a x -> inside b y -> 0 < x \/ (x = 0 /\ 0 <= y) ->
  holds (range_power a b) (power x y).
Proof.
  intros a b x y A B D. unfold range_power.
  destruct (negative_on a) eqn:N; [pose proof (negative_on_correct _ _ N A); lra |].
  destruct (positive_on a || negative_on b)%bool eqn:P.
  - assert (S : 0 < x).
    { apply Bool.orb_prop in P. destruct P as [P | P]; [exact (positive_on_correct _ _ P A) |].
      pose proof (negative_on_correct _ _ P B). destruct D as [D | [_ D]]; [exact D | lra]. }
    rewrite power_positive by assumption. apply positive_power_correct; assumption.
  - destruct D as [D | [-> D]].
    + rewrite power_positive by assumption. destruct (nonpos_on a) eqn:M.
      * pose proof (nonpos_on_correct _ _ M A). lra.
      * apply inside_join_r, positive_power_correct; assumption.
    + destruct (nonpos_on a); [| apply inside_join_l]; apply zero_power_correct; assumption.
Qed.

(** A quotient. *)
Definition range_div (i j : I.type) : option I.type :=
  match I.sign_large j with
  | Xeq => None
  | _ => Some (I.mul p i (I.invnz p j))
  end.

Lemma inside_invnz : forall j y, inside j y -> y <> 0 -> inside (I.invnz p j) (/ y).
Proof.
  intros j y B N. assert (E : Xreal y <> Xreal 0) by (intros E; injection E; exact N).
  pose proof (I.invnz_correct p _ _ E B) as H. unfold inside. cbn in H. unfold Xinv' in H.
  destruct (is_zero_spec y); [contradiction | exact H].
Qed.

Lemma range_div_correct : forall i j x y, inside i x -> inside j y -> y <> 0 -> holds (range_div i j) (x / y).
Proof.
  intros i j x y A B N. unfold range_div. pose proof (I.sign_large_correct j) as S.
  destruct (I.sign_large j); try (apply inside_mul; [exact A | apply inside_invnz; assumption]).
  specialize (S _ B). injection S. contradiction.
Qed.

(** Sine and cosine: first a whole number of turns is taken off. *)
Definition turns (i : I.type) : I.type :=
  I.nearbyint rnd_NE (I.div p (point (I.midpoint i)) (I.mul p (I.fromZ p 2) (I.pi p))).
Definition turned (i : I.type) : I.type :=
  if I.bounded i then I.sub p i (I.mul p (turns i) (I.mul p (I.fromZ p 2) (I.pi p))) else i.

Lemma sin_turns : forall x k, sin (x - IZR k * (2 * PI)) = sin x.
Proof.
  intros x k. rewrite <- (Ropp_involutive (IZR k * (2 * PI))), Ropp_mult_distr_l, <- opp_IZR. unfold Rminus.
  rewrite Ropp_involutive. generalize (- k)%Z; clear k; intros k.
  destruct k as [| q | q].
  - f_equal. lra.
  - rewrite <- (positive_nat_Z q), <- INR_IZR_INZ. replace (x + INR (Pos.to_nat q) * (2 * PI)) with (x + 2 * INR (Pos.to_nat q) * PI) by ring. apply sin_period.
  - change (Z.neg q) with (- Z.pos q)%Z. rewrite opp_IZR, <- (positive_nat_Z q), <- INR_IZR_INZ.
    rewrite <- (sin_period (x + - INR (Pos.to_nat q) * (2 * PI)) (Pos.to_nat q)). f_equal. ring.
Qed.
Lemma cos_turns : forall x k, cos (x - IZR k * (2 * PI)) = cos x.
Proof.
  intros x k. rewrite <- !sin_shift, <- (sin_turns (PI / 2 - x) (- k)). f_equal. rewrite opp_IZR. ring.
Qed.

Lemma turned_correct : forall i x, inside i x -> exists k, inside (turned i) (x - IZR k * (2 * PI)).
Proof.
  intros i x A. unfold turned. destruct (I.bounded i).
  - assert (T : inside (I.mul p (I.fromZ p 2) (I.pi p)) (2 * PI))
      by (apply inside_mul; [apply I.fromZ_correct | apply I.pi_correct]).
    assert (D : inside (I.div p (point (I.midpoint i)) (I.mul p (I.fromZ p 2) (I.pi p)))
      (proj_val (F.toX (I.midpoint i)) / (2 * PI))).
    { apply inside_div; [apply I.singleton_correct | exact T |]. pose proof PI_RGT_0. lra. }
    eexists. apply inside_sub; [exact A | apply inside_mul; [exact (I.nearbyint_correct rnd_NE _ _ D) | exact T]].
  - exists 0%Z. replace (x - 0 * (2 * PI)) with x by ring. exact A.
Qed.

Definition range_sin (i : I.type) : I.type := I.sin p (turned i).
Definition range_cos (i : I.type) : I.type := I.cos p (turned i).
Lemma range_sin_correct : forall i x, inside i x -> inside (range_sin i) (sin x).
Proof.
  intros i x A. destruct (turned_correct _ _ A) as [k K]. rewrite <- (sin_turns x k). exact (I.sin_correct p _ _ K).
Qed.
Lemma range_cos_correct : forall i x, inside i x -> inside (range_cos i) (cos x).
Proof.
  intros i x A. destruct (turned_correct _ _ A) as [k K]. rewrite <- (cos_turns x k). exact (I.cos_correct p _ _ K).
Qed.

(** sin(v)/v: a quotient away from 0; about 0 it is between 1 - v^2/6 and 1. *)
Definition away (i : I.type) : bool := (positive_on i || negative_on i)%bool.
Definition range_sinc (i : I.type) : I.type :=
  I.meet (I.meet (I.lower_extent unit) (I.upper_extent (I.sub p unit (I.div p (I.mul p i i) (I.fromZ p 6)))))
    (if away i then I.div p (range_sin i) i else I.whole).

Lemma away_correct : forall i x, away i = true -> inside i x -> x <> 0.
Proof.
  intros i x H A. unfold away in H. apply Bool.orb_prop in H. destruct H as [H | H].
  - apply Rgt_not_eq, (positive_on_correct _ _ H A).
  - apply Rlt_not_eq, (negative_on_correct _ _ H A).
Qed.

Lemma sinc_even : forall x, sinc (- x) = sinc x.
Proof.
  intros x. unfold sinc. destruct (Req_EM_T (- x) 0), (Req_EM_T x 0); try lra. rewrite sin_neg. field. assumption.
Qed.

Lemma sinc_bounds : forall x, 1 - x * x / 6 <= sinc x <= 1.
Proof.
  assert (P : forall x, 0 < x -> 1 - x * x / 6 <= sinc x <= 1).
  { intros x X. rewrite sinc_away by lra. split; apply (Rmult_le_reg_r x); try assumption; unfold Rdiv;
      rewrite (Rmult_assoc (sin x)), Rinv_l by lra; rewrite Rmult_1_r.
    - destruct (Rle_dec x 4) as [L | L].
      + destruct (pre_sin_bound x 0) as [H _]; [lra | exact L |]. unfold sin_approx, sin_term in H. cbn in H. nra.
      + pose proof (SIN_bound x). nra.
    - rewrite Rmult_1_l. left. apply sin_lt_x, X. }
  intros x. destruct (Rtotal_order x 0) as [N | [-> | N]].
  - pose proof (P (- x)) as H. rewrite sinc_even in H. replace (- x * - x) with (x * x) in H by ring. apply H. lra.
  - unfold sinc. destruct (Req_EM_T 0 0); [lra | contradiction].
  - apply P, N.
Qed.

Lemma range_sinc_correct : forall i x, inside i x -> inside (range_sinc i) (sinc x).
Proof.
  intros i x A. pose proof (sinc_bounds x) as B. unfold range_sinc. apply I.meet_correct; [apply I.meet_correct |].
  - exact (I.lower_extent_correct _ _ _ unit_correct (proj2 B)).
  - apply (I.upper_extent_correct _ _ (1 - x * x / 6)); [| exact (proj1 B)]. apply inside_sub; [apply unit_correct |].
    apply inside_div; [apply inside_mul; exact A | apply I.fromZ_correct | lra].
  - destruct (away i) eqn:W; [| apply I.whole_correct]. pose proof (away_correct _ _ W A) as N. rewrite sinc_away by exact N.
    apply inside_div; [apply range_sin_correct, A | exact A | exact N].
Qed.

(** Arcsine rises: its values at the ends, by arctangents, where these are inside of (-1, 1). *)
Definition asin_of (i : I.type) : I.type := I.atan p (I.div p i (I.sqrt p (I.sub p unit (I.mul p i i)))).
Definition within (i : I.type) : bool := positive_on (I.sub p unit i) && positive_on (I.add p unit i).
Definition above_asin (i : I.type) : I.type :=
  if I.lower_bounded i then
    (let l := point (I.lower i) in if within l then I.upper_extent (asin_of l) else I.whole)
  else I.whole.
Definition under_asin (i : I.type) : I.type :=
  if I.upper_bounded i then
    (let u := point (I.upper i) in if within u then I.lower_extent (asin_of u) else I.whole)
  else I.whole.
Definition half_turn : I.type := I.div p (I.pi p) (I.fromZ p 2).
Definition range_arcsin (i : I.type) : option I.type :=
  if negative_on (I.sub p unit i) then None else if negative_on (I.add p unit i) then None
  else Some (I.meet (I.meet (above_asin i) (under_asin i)) (I.join (I.neg half_turn) half_turn)).

Lemma within_correct : forall i x, within i = true -> inside i x -> -1 < x < 1.
Proof.
  intros i x W A. unfold within in W. apply andb_prop in W. destruct W as [U L].
  pose proof (positive_on_correct _ _ U (inside_sub _ _ _ _ unit_correct A)).
  pose proof (positive_on_correct _ _ L (inside_add _ _ _ _ unit_correct A)). lra.
Qed.

Lemma asin_of_correct : forall i x, inside i x -> -1 < x < 1 -> inside (asin_of i) (asin x).
Proof.
  intros i x A D. rewrite asin_atan by assumption. unfold asin_of.
  assert (P : 0 < 1 - x²) by (unfold Rsqr; nra).
  apply (I.atan_correct p _ (Xreal _)). apply inside_div; [exact A | | apply Rgt_not_eq, sqrt_lt_R0, P].
  assert (S : inside (I.sub p unit (I.mul p i i)) (1 - x²))
    by (unfold Rsqr; apply inside_sub; [apply unit_correct | apply inside_mul; exact A]).
  pose proof (I.sqrt_correct p _ _ S) as H. cbn in H. unfold Xsqrt' in H. unfold inside.
  destruct (is_negative_spec (1 - x²)); [lra | exact H].
Qed.

Lemma asin_le : forall x y, -1 <= x -> x <= y -> y <= 1 -> asin x <= asin y.
Proof.
  intros x y A B C. destruct (Rle_dec (asin x) (asin y)) as [L | L]; [exact L |]. exfalso.
  apply Rnot_le_lt in L. pose proof (asin_bound x). pose proof (asin_bound y).
  assert (S : sin (asin y) < sin (asin x)) by (apply sin_increasing_1; lra).
  rewrite !sin_asin in S by lra. lra.
Qed.

Lemma range_arcsin_correct : forall i x, inside i x -> -1 <= x <= 1 -> holds (range_arcsin i) (asin x).
Proof.
  intros i x A D. unfold range_arcsin.
  destruct (negative_on (I.sub p unit i)) eqn:N.
  { pose proof (negative_on_correct _ _ N (inside_sub _ _ _ _ unit_correct A)). lra. }
  destruct (negative_on (I.add p unit i)) eqn:M.
  { pose proof (negative_on_correct _ _ M (inside_add _ _ _ _ unit_correct A)). lra. }
  cbn. apply I.meet_correct; [apply I.meet_correct |].
  - unfold above_asin. destruct (I.lower_bounded i) eqn:B; [| apply I.whole_correct].
    destruct (within (point (I.lower i))) eqn:W; [| apply I.whole_correct].
    destruct (lower_under _ _ A B) as [l [L R]]. pose proof (within_correct _ _ W L).
    apply (I.upper_extent_correct _ _ (asin l)); [apply asin_of_correct; assumption | apply asin_le; lra].
  - unfold under_asin. destruct (I.upper_bounded i) eqn:B; [| apply I.whole_correct].
    destruct (within (point (I.upper i))) eqn:W; [| apply I.whole_correct].
    destruct (upper_above _ _ A B) as [u [U R]]. pose proof (within_correct _ _ W U).
    apply (I.lower_extent_correct _ _ (asin u)); [apply asin_of_correct; assumption | apply asin_le; lra].
  - assert (P : inside half_turn (PI / 2))
      by (apply inside_div; [apply I.pi_correct | apply I.fromZ_correct | lra]).
    pose proof (asin_bound x). apply (between _ (- (PI / 2)) (PI / 2)).
    + apply inside_join_l, inside_neg, P.
    + apply inside_join_r, P.
    + rewrite Rmin_left, Rmax_right by lra. lra.
Qed.

(** Whole powers; even ones are never negative. *)
Definition range_whole (n : positive) (i : I.type) : I.type :=
  match n with xO _ => I.meet nonneg (I.power_int p i (Zpos n)) | _ => I.power_int p i (Zpos n) end.

Lemma inside_whole : forall i x n, inside i x -> inside (range_whole n i) (x ^ Pos.to_nat n).
Proof.
  intros i x n A. pose proof (I.power_int_correct p (Zpos n) _ _ A) as H. destruct n as [n | n |]; try exact H.
  apply I.meet_correct; [| exact H]. apply nonneg_correct. rewrite Pos2Nat.inj_xO, pow_mult.
  apply pow_le, pow2_ge_0.
Qed.

(** The range of a formula over a box. *)
Definition lift (f : I.type -> option I.type) (a : option I.type) : option I.type :=
  match a with Some i => f i | None => None end.
Definition lift2 (f : I.type -> I.type -> option I.type) (a b : option I.type) : option I.type :=
  match a, b with Some i, Some j => f i j | _, _ => None end.

Fixpoint range (e : expr) (b : list I.type) : option I.type :=
  match e with
  | Var i => Some (nth i b I.nai)
  | Num q => Some (number q)
  | Pi => Some (I.pi p)
  | Neg a => lift (fun i => Some (I.neg i)) (range a b)
  | Abs a => lift (fun i => Some (I.abs i)) (range a b)
  | Sqrt a => lift range_sqrt (range a b)
  | Ln a => lift range_ln (range a b)
  | Exp a => lift (fun i => Some (I.exp p i)) (range a b)
  | Sin a => lift (fun i => Some (range_sin i)) (range a b)
  | Cos a => lift (fun i => Some (range_cos i)) (range a b)
  | Arcsin a => lift range_arcsin (range a b)
  | Sinc a => lift (fun i => Some (range_sinc i)) (range a b)
  | Add a c => lift2 (fun i j => Some (I.add p i j)) (range a b) (range c b)
  | Sub a c => lift2 (fun i j => Some (I.sub p i j)) (range a b) (range c b)
  | Mul a c => lift2 (fun i j => Some (I.mul p i j)) (range a b) (range c b)
  | Div a c => lift2 range_div (range a b) (range c b)
  | Whole a n => lift (fun i => Some (range_whole n i)) (range a b)
  | Power a c => lift2 range_power (range a b) (range c b)
  end.

Definition box_holds (b : list I.type) (x : list R) : Prop := Forall2 inside b x.

Lemma nth_inside : forall b x i, box_holds b x -> inside (nth i b I.nai) (nth i x 0).
Proof.
  intros b x i H. revert i. induction H; intros [| i]; cbn; auto; unfold inside; rewrite I.nai_correct; exact Logic.I.
Qed.

Theorem range_correct : forall e b x, box_holds b x -> defined e x -> holds (range e b) (value e x).
Proof.
  intros e b x B. induction e; cbn [defined value range]; intros D;
    repeat match goal with H : _ /\ _ |- _ => destruct H end;
    repeat match goal with
    | IH : defined ?a x -> holds (range ?a b) _, D : defined ?a x |- _ =>
        specialize (IH D); destruct (range a b); [cbn in IH | destruct IH]
    end; cbn [lift lift2]; cbn [holds].
  - apply nth_inside, B.
  - apply number_correct.
  - apply I.pi_correct.
  - apply inside_neg; assumption.
  - apply inside_abs; assumption.
  - apply range_sqrt_correct; assumption.
  - apply range_ln_correct; assumption.
  - apply inside_exp; assumption.
  - apply range_sin_correct; assumption.
  - apply range_cos_correct; assumption.
  - apply range_arcsin_correct; [assumption | split; assumption].
  - apply range_sinc_correct; assumption.
  - apply inside_add; assumption.
  - apply inside_sub; assumption.
  - apply inside_mul; assumption.
  - apply range_div_correct; assumption.
  - apply inside_whole; assumption.
  - apply range_power_correct; assumption.
Qed.

End Precision.

End Ranges.
