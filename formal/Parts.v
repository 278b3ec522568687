(** Parts of a formula put in place of others: a variable for a sum whose bound is known, or the same without a hole; and
    variables that may be moved by whole turns. *)
From Coq Require Import Reals ZArith List Lra Lia.
From Interval Require Import Real.Xreal Float.Basic Float.Sig Float.Specific_ops Float.Specific_bigint Float.Primitive_ops.
From Flocq Require Zaux.
From CPC Require Import Language Trees.
Import ListNotations.
Open Scope R_scope.

Definition same_expr : forall a b : expr, {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.

(** r for s, wherever it stands. *)
Fixpoint put_for (s r e : expr) : expr :=
  if same_expr e s then r else
  match e with
  | Var _ | Num _ | Pi => e
  | Neg a => Neg (put_for s r a) | Abs a => Abs (put_for s r a) | Sqrt a => Sqrt (put_for s r a)
  | Ln a => Ln (put_for s r a) | Exp a => Exp (put_for s r a) | Sin a => Sin (put_for s r a)
  | Cos a => Cos (put_for s r a) | Arcsin a => Arcsin (put_for s r a) | Sinc a => Sinc (put_for s r a)
  | Add a b => Add (put_for s r a) (put_for s r b) | Sub a b => Sub (put_for s r a) (put_for s r b)
  | Mul a b => Mul (put_for s r a) (put_for s r b) | Div a b => Div (put_for s r a) (put_for s r b)
  | Whole a n => Whole (put_for s r a) n | Power a b => Power (put_for s r a) (put_for s r b)
  end.
Fixpoint occurs (s e : expr) : bool :=
  (if same_expr e s then true else false) ||
  match e with
  | Var _ | Num _ | Pi => false
  | Neg a | Abs a | Sqrt a | Ln a | Exp a | Sin a | Cos a | Arcsin a | Sinc a | Whole a _ => occurs s a
  | Add a b | Sub a b | Mul a b | Div a b | Power a b => occurs s a || occurs s b
  end.

Lemma occurs_defined : forall s e x, occurs s e = true -> defined e x -> defined s x.
Proof.
  intros s e x. induction e; cbn [occurs]; match goal with |- context [same_expr ?a ?b] => destruct (same_expr a b) as [<- | N] end;
    try (intros; assumption); cbn [orb defined]; intros O D; try discriminate; try tauto;
    apply Bool.orb_prop in O; destruct O; tauto.
Qed.

Lemma put_for_correct : forall s r n x y, (forall i, (i < n)%nat -> nth i y 0 = nth i x 0) ->
  (defined s x -> defined r y /\ value r y = value s x) -> forall e, below n e = true -> defined e x ->
  defined (put_for s r e) y /\ value (put_for s r e) y = value e x.
Proof.
  intros s r n x y A H e. induction e; cbn [put_for];
    match goal with |- context [same_expr ?a ?b] => destruct (same_expr a b) as [<- | N] end;
    try (intros; apply H; assumption); cbn [below defined value]; intros B D;
    repeat match goal with
    | H : _ /\ _ |- _ => destruct H
    | H : (_ && _)%bool = true |- _ => apply andb_prop in H; destruct H
    | IH : below n ?a = true -> _, B : below n ?a = true |- _ => specialize (IH B)
    | IH : defined ?a x -> _, D : defined ?a x |- _ => specialize (IH D)
    | E : value (put_for s r ?a) y = _ |- _ => rewrite E in *; clear E
    end; repeat split; auto.
  apply A, Nat.ltb_lt, B.
Qed.

(** Whole turns: a variable that stands only in sines and cosines, by itself or times a whole number. *)
Definition turns_with (i : nat) (a : expr) : bool :=
  match a with
  | Var k => Nat.eqb i k
  | Mul (Num (_, 1%positive)) (Var k) => Nat.eqb i k
  | _ => false
  end.
Fixpoint periodic (i : nat) (e : expr) : bool :=
  match e with
  | Var k => negb (Nat.eqb i k)
  | Num _ | Pi => true
  | Sin a | Cos a => turns_with i a || periodic i a
  | Neg a | Abs a | Sqrt a | Ln a | Exp a | Arcsin a | Sinc a | Whole a _ => periodic i a
  | Add a b | Sub a b | Mul a b | Div a b | Power a b => periodic i a && periodic i b
  end.

Lemma sin_turned : forall x k, sin (x + IZR k * (2 * PI)) = sin x.
Proof.
  intros x k. destruct k as [| q | q].
  - f_equal. lra.
  - rewrite <- (positive_nat_Z q), <- INR_IZR_INZ.
    replace (x + INR (Pos.to_nat q) * (2 * PI)) with (x + 2 * INR (Pos.to_nat q) * PI) by ring. apply sin_period.
  - change (Z.neg q) with (- Z.pos q)%Z. rewrite opp_IZR, <- (positive_nat_Z q), <- INR_IZR_INZ.
    rewrite <- (sin_period (x + - INR (Pos.to_nat q) * (2 * PI)) (Pos.to_nat q)). f_equal. ring.
Qed.
Lemma cos_turned : forall x k, cos (x + IZR k * (2 * PI)) = cos x.
Proof. intros x k. rewrite <- !sin_shift, <- (sin_turned (PI / 2 - x) (- k)). f_equal. rewrite opp_IZR. ring. Qed.

Fixpoint moved (i : nat) (v : R) (x : list R) : list R :=
  match x, i with
  | [], _ => []
  | _ :: x', O => v :: x'
  | a :: x', S j => a :: moved j v x'
  end.
Lemma moved_other : forall i k v x, k <> i -> nth k (moved i v x) 0 = nth k x 0.
Proof. intros i. induction i; intros [| k] v [| a x] N; cbn; try reflexivity; try contradiction. apply IHi. congruence. Qed.
Lemma moved_same : forall i v x, (i < length x)%nat -> nth i (moved i v x) 0 = v.
Proof. intros i. induction i; intros v [| a x] L; cbn in *; try lia; [reflexivity | apply IHi; lia]. Qed.
Lemma moved_length : forall i v x, length (moved i v x) = length x.
Proof. intros i. induction i; intros v [| a x]; cbn; auto. Qed.

Lemma periodic_correct : forall i k x, (i < length x)%nat -> forall e, periodic i e = true ->
  let y := moved i (nth i x 0 + IZR k * (2 * PI)) x in value e y = value e x /\ (defined e x -> defined e y).
Proof.
  intros i k x L e P y.
  assert (T : forall a, turns_with i a = true -> exists m, value a y = value a x + IZR m * (2 * PI)).
  { intros a H. destruct a; try discriminate; cbn in H.
    - apply Nat.eqb_eq in H. subst i0. exists k. cbn [value]. unfold y. rewrite moved_same by exact L. reflexivity.
    - destruct a1; try discriminate. destruct q as [m [d | d |]]; try discriminate. destruct a2; try discriminate.
      apply Nat.eqb_eq in H. subst i0. exists (m * k)%Z. cbn [value real_of]. unfold y. rewrite moved_same by exact L.
      rewrite mult_IZR. ring. }
  induction e; cbn [periodic] in P;
    repeat match goal with
    | H : (_ && _)%bool = true |- _ => apply andb_prop in H; destruct H
    | IH : periodic i ?a = true -> _, B : periodic i ?a = true |- _ => specialize (IH B); destruct IH
    end;
    try (match goal with |- value (Sin ?a) _ = _ /\ _ => idtac | |- value (Cos ?a) _ = _ /\ _ => idtac end;
      apply Bool.orb_prop in P; destruct P as [P | P];
      [destruct (T _ P) as [m E]; cbn [value defined]; rewrite E; split;
        [first [apply sin_turned | apply cos_turned] |
         intros _; destruct e; try discriminate; cbn in P |- *; auto; destruct e1; try discriminate;
         destruct e2; try (destruct q as [? [? | ? |]]; discriminate); cbn; auto]
      | destruct (IHe P) as [E D]; cbn [value defined]; rewrite E; split; [reflexivity | exact D]]);
    cbn [value defined];
    repeat match goal with E : value ?a y = value ?a x |- _ => rewrite E in *; clear E end; try (split; [reflexivity | tauto]).
  apply Bool.negb_true_iff, Nat.eqb_neq in P. split; [| auto]. apply moved_other. congruence.
Qed.

Module Parts (F : FloatOps with Definition radix := Zaux.radix2 with Definition sensible_format := true).

Module Export U := Trees.Trees F.
Import U.T.S.R.

Section Precision.
Variable p : F.precision.

(** A sum inside a formula whose bound is known counts as one more variable; if it is bounded from above, its opposite. *)
Definition sum_part (least : bool) (s : expr) : expr := if least then s else Neg s.
Definition sum_place (least : bool) (n : nat) : expr := if least then Var n else Neg (Var n).
Definition check_part (d : nat) (least : bool) (s e : expr) (q l : rational) (b : list side) : bool :=
  (below (length b) e && occurs s e)
  && check_tree p d (put_for s (sum_place least (length b)) e) l Leaf (box_of p b ++ [I.upper_extent (number p q)]).

Theorem by_part : forall d least s e q l b,
  (forall x, in_box b x -> defined s x -> real_of q <= value (sum_part least s) x) ->
  check_part d least s e q l b = true ->
  forall x, in_box b x -> defined e x -> real_of l <= value e x.
Proof.
  intros d least s e q l b B C x X D. unfold check_part in C. apply andb_prop in C. destruct C as [C T].
  apply andb_prop in C. destruct C as [W O]. pose proof (occurs_defined _ _ _ O D) as E. pose proof (B x X E) as Q.
  assert (L : length x = length b).
  { clear - X. revert x X. induction b as [| [l u] b R]; intros [| v x] X; cbn in *; try contradiction; auto.
    f_equal. apply R. tauto. }
  set (y := x ++ [value (sum_part least s) x]).
  assert (A : forall i, (i < length b)%nat -> nth i y 0 = nth i x 0) by (intros i I; apply app_nth1; lia).
  assert (V : nth (length b) y 0 = value (sum_part least s) x)
    by (unfold y; rewrite app_nth2, L, Nat.sub_diag by lia; reflexivity).
  assert (H : defined s x -> defined (sum_place least (length b)) y /\ value (sum_place least (length b)) y = value s x).
  { intros _. destruct least; cbn [sum_place defined value]; rewrite V; cbn [sum_part value];
      (split; [exact Logic.I | ring]). }
  destruct (put_for_correct _ _ _ _ _ A H e W D) as [D' V'].
  rewrite <- V'. apply (check_tree_correct _ _ _ _ _ _ _ T); [| exact D'].
  apply Forall2_app; [apply box_of_correct, X |]. constructor; [| constructor].
  exact (I.upper_extent_correct _ _ _ (number_correct p q) Q).
Qed.

(** The same without a hole. *)
Theorem by_filled : forall s r e l b, below (length b) e = true ->
  (forall x, defined s x -> defined r x /\ value r x = value s x) ->
  (forall x, in_box b x -> defined (put_for s r e) x -> real_of l <= value (put_for s r e) x) ->
  forall x, in_box b x -> defined e x -> real_of l <= value e x.
Proof.
  intros s r e l b W H B x X D.
  destruct (put_for_correct s r (length b) x x (fun i _ => eq_refl) (H x) e W D) as [D' V']. rewrite <- V'. exact (B x X D').
Qed.

(** Sides of a box that are a whole turn long. *)
Definition turn : I.type := I.mul p (I.fromZ p 2) (I.pi p).
Definition is_turn (s : side) : bool := nonneg_on (I.sub p (I.sub p (number p (snd s)) (number p (fst s))) turn).
Definition same_side (s t : side) : bool := Tables.same (fst s) (fst t) && Tables.same (snd s) (snd t).
Fixpoint turned_sides (e : expr) (i : nat) (b c : list side) : bool :=
  match b, c with
  | [], [] => true
  | s :: b', t :: c' => (same_side s t || (periodic i e && is_turn t)) && turned_sides e (S i) b' c'
  | _, _ => false
  end.

Lemma one_turn : forall l u v, 2 * PI <= u - l -> exists k, l <= v + IZR k * (2 * PI) <= u.
Proof.
  intros l u v W. pose proof PI_RGT_0. exists (up ((l - v) / (2 * PI))).
  destruct (archimed ((l - v) / (2 * PI))) as [A B]. revert A B. generalize (IZR (up ((l - v) / (2 * PI)))). intros k A B.
  assert (E : (l - v) / (2 * PI) * (2 * PI) = l - v) by (field; lra).
  apply Rmult_gt_compat_r with (r := 2 * PI) in A; [| lra].
  apply Rmult_le_compat_r with (r := 2 * PI) in B; [| lra].
  rewrite Rmult_minus_distr_r, E in B. rewrite E in A. lra.
Qed.

Theorem by_turns : forall e l b c, turned_sides e 0 b c = true ->
  (forall x, in_box c x -> defined e x -> real_of l <= value e x) ->
  forall x, in_box b x -> defined e x -> real_of l <= value e x.
Proof.
  assert (G : forall e b c x i pre, turned_sides e i b c = true -> length pre = i -> in_box b x ->
    exists z, in_box c z /\ value e (pre ++ z) = value e (pre ++ x) /\ (defined e (pre ++ x) -> defined e (pre ++ z))).
  { intros e b. induction b as [| s b R]; intros [| t c] [| v x] i pre C L X; cbn in C, X; try discriminate; try contradiction;
      try (destruct s; contradiction).
    - exists []. cbn. tauto.
    - destruct s as [l u]. destruct X as [X X']. apply andb_prop in C. destruct C as [C C'].
      assert (M : exists w, (real_of (fst t) <= w <= real_of (snd t)) /\ value e (pre ++ w :: x) = value e (pre ++ v :: x)
        /\ (defined e (pre ++ v :: x) -> defined e (pre ++ w :: x))).
      { apply Bool.orb_prop in C. destruct C as [C | C].
        - unfold same_side in C. apply andb_prop in C. destruct C as [A B]. apply Tables.same_correct in A, B. cbn in A, B.
          subst. exists v. tauto.
        - apply andb_prop in C. destruct C as [P T]. unfold is_turn in T.
          assert (W : inside turn (2 * PI)) by (apply inside_mul; [apply I.fromZ_correct | apply I.pi_correct]).
          pose proof (nonneg_on_correct _ _ T (inside_sub p _ _ _ _ (inside_sub p _ _ _ _ (number_correct p _) (number_correct p _)) W)).
          destruct (one_turn (real_of (fst t)) (real_of (snd t)) v) as [k K]; [lra |].
          assert (I : (i < length (pre ++ v :: x))%nat) by (rewrite app_length; cbn; lia).
          pose proof (periodic_correct i k (pre ++ v :: x) I e P) as Y. cbn zeta in Y.
          assert (Z : moved i (nth i (pre ++ v :: x) 0 + IZR k * (2 * PI)) (pre ++ v :: x) = pre ++ (v + IZR k * (2 * PI)) :: x).
          { subst i. clear. induction pre as [| a pre R]; cbn; [reflexivity | f_equal; exact R]. }
          rewrite Z in Y. exists (v + IZR k * (2 * PI)). tauto. }
      destruct M as [w [A [V D]]].
      destruct (R c x (S i) (pre ++ [w]) C') as [z [Z [V' D']]]; [rewrite app_length; cbn; lia | exact X' |].
      rewrite <- !app_assoc in V', D'. cbn [app] in V', D'.
      exists (w :: z). destruct t as [tl tu]. cbn [in_box fst snd] in *. split; [tauto |]. split; [congruence | tauto]. }
  intros e l b c C B x X D. destruct (G e b c x 0%nat [] C eq_refl X) as [z [Z [V W]]]. cbn [app] in V, W.
  rewrite <- V. apply B; [exact Z | apply W, D].
Qed.

End Precision.

End Parts.

(** With numbers of any length, and with those of the processor. *)
Module Long := SpecificFloat BigIntRadix2.
Module ByLong := Parts Long.
Module ByDoubles := Parts PrimitiveFloat.

(** A quotient without its hole: [half_turns a b k x] says of two angles that a is b + k pi, [filled D] compares the two
    from what it takes for the quotient to be defined. *)
Lemma sin_half_turns : forall a b k, a = b + IZR k * PI -> sin a = (if Z.even k then 1 else -1) * sin b.
Proof.
  intros a b k ->. destruct (Z.even k) eqn:E.
  - apply Z.even_spec in E. destruct E as [m ->]. rewrite mult_IZR.
    replace (b + 2 * IZR m * PI) with (b + IZR m * (2 * PI)) by ring. rewrite sin_turned. ring.
  - assert (O : Z.odd k = true) by (rewrite <- Z.negb_even, E; reflexivity). apply Z.odd_spec in O. destruct O as [m ->].
    rewrite plus_IZR, mult_IZR. replace (b + (2 * IZR m + 1) * PI) with (b + PI + IZR m * (2 * PI)) by ring.
    rewrite sin_turned, neg_sin. ring.
Qed.
Lemma product_away : forall a b, a * b <> 0 -> a <> 0 /\ b <> 0.
Proof. intros a b N. split; intros ->; apply N; ring. Qed.
Lemma square_away : forall a n, a ^ n <> 0 -> n <> 0%nat -> a <> 0.
Proof. intros a n N Z ->. apply N, pow_i. lia. Qed.

Ltac is_away :=
  first [assumption | exact PI_neq0 | apply Rmult_integral_contrapositive_currified; is_away | apply pow_nonzero; is_away | lra].
Ltac half_turns a b k x :=
  let H := fresh in
  assert (H : sin (value a x) = (if Z.even k then 1 else -1) * sin (value b x))
    by (apply sin_half_turns; cbn; ring);
  cbn [Z.even value real_of] in H.
Ltac filled D :=
  cbn [defined value real_of] in *;
  repeat match goal with H : _ /\ _ |- _ => destruct H end;
  repeat match goal with H : ?a * ?b <> 0 |- _ => apply product_away in H; destruct H end;
  split; [repeat split; auto; is_away |];
  repeat match goal with |- context [sinc ?a] => rewrite (sinc_away a) by is_away end;
  repeat match goal with H : sin _ = _ * sin _ |- _ => rewrite H; clear H end;
  field; repeat split; is_away.
